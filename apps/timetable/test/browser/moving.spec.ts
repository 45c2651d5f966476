import { ServiceProcess } from 'testing';
import { ADDRESS, create, DAY, describeInBrowser, slotOf, Timetable } from '../support/timetable.js';

describeInBrowser('Moving over the page', () => {
  let service: ServiceProcess;
  let timetable: Timetable;

  beforeAll(async () => {
    const rooms = Array.from({ length: 60 }, (_, index) => `room-${index + 1}`);
    service = await ServiceProcess.start({ TIMETABLE_RESOURCES: `${rooms.join(',')},hall,lab/a,lab/b` });
    await create(service, { slot: slotOf('hall', '10:00', '12:00'), title: 'Zoë; the choir' });
    timetable = await Timetable.blank();
  });
  beforeEach(() => timetable.goTo(`${service.url}/timetable${ADDRESS}`));
  afterAll(async () => {
    expect(timetable.complaints).toEqual([]);
    await timetable.close();
    await service.stop();
  });

  const instant = (time: string) => `${DAY}T${time}:00+01:00`;
  const frames = () =>
    timetable.page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))`);
  const press = async (...keys: string[]) => {
    for (const key of keys) await timetable.page.keyboard.press(key);
    return timetable.focused();
  };

  it('Tab stops once in the grid; arrows lead over days and cells, Home and End to the edges', async () => {
    const { page } = timetable;
    await page.goto(`${service.url}/timetable${ADDRESS.replace('span=day', 'span=week')}`);
    await timetable.isRead();
    const stops = () => page.locator('#grid').locator('[tabindex="0"], button:not([tabindex="-1"])').count();
    expect(await stops()).toBe(1);
    await page.locator('#new').focus();
    await press('Tab');
    // The days of the week are above the first row; the heading of a group is no stop.
    expect(await press('Control+Home', 'ArrowUp')).toBe('Mon 30 Nov');
    expect(await press('ArrowRight', 'End')).toBe('Sun 6 Dec');
    expect(await press('Home', 'ArrowDown')).toMatch(/^Free Mon 30 Nov/);
    expect(await press('ArrowRight')).toBe('Zoë; the choir, Tue 1 Dec, 10:00 to 12:00');
    await press('Control+End');
    expect(await timetable.row('lab/b').locator(':focus').count()).toBe(1);
    expect(await stops()).toBe(1);
    await press('ArrowUp', 'ArrowUp');
    expect(await timetable.row('room-60').locator(':focus').count()).toBe(1);
    await press('Tab');
    expect(await page.locator('#grid :focus').count()).toBe(0);
    // The head of a day leads to the day.
    await page.locator('.day', { hasText: 'Thu 3 Dec' }).click();
    expect(new URL(page.url()).search).toContain('date=2026-12-03&span=day');
  });

  it('a row that is far away keeps its place in the document, and its focus', async () => {
    const { page } = timetable;
    await page.locator('.cell[tabindex="0"]').focus();
    for (const top of [0, 1_500, 600, 0]) {
      await page.evaluate(`document.querySelector('#grid').scrollTop = ${top}`);
      await frames();
      const seen = await page.evaluate<number[]>(
        `[...document.querySelectorAll('[role=row][aria-rowindex]')].map((row) => Number(row.ariaRowIndex))`,
      );
      expect(seen).toEqual(seen.toSorted((a, b) => a - b));
      expect(await page.locator('.cell:focus').count()).toBe(1);
    }
  });

  it('a drag says its times below the row, ends by Escape, and its edges can be dragged later', async () => {
    const { page } = timetable;
    const [from, to, over] = [
      await timetable.pointOf('hall', instant('08:00')),
      await timetable.pointOf('hall', instant('09:30')),
      await timetable.pointOf('hall', instant('10:30')),
    ];
    const mark = page.locator('.chosen');
    await page.mouse.move(from.x + 1, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x - 1, to.y, { steps: 3 });
    expect(await mark.innerText()).toBe('08:00–09:30 · 1 h 30 min');
    await page.mouse.move(over.x - 1, over.y, { steps: 3 });
    expect(await mark.getAttribute('class')).toContain('clash');
    const [label, row] = [await mark.locator('span').boundingBox(), await timetable.row('hall').boundingBox()];
    expect(label!.y).toBeGreaterThan(row!.y + row!.height - 5);
    await press('Escape');
    await page.mouse.up();
    await frames();
    expect(await timetable.panel.isVisible()).toBe(false);
    await timetable.drag('hall', instant('08:00'), instant('09:30'));
    expect(await mark.locator('span').isVisible()).toBe(false);
    await page.getByLabel('Name').fill('Grace');
    const handle = (await mark.locator('.handle.start').boundingBox())!;
    const earlier = await timetable.pointOf('hall', instant('07:00'));
    await page.mouse.move(handle.x + 7, handle.y + 15);
    await page.mouse.down();
    await page.mouse.move(earlier.x + 1, earlier.y, { steps: 3 });
    await page.mouse.up();
    expect(await page.locator('#panel-title').innerText()).toBe('Tue 1 Dec, 07:00 to 09:30');
    expect(await page.getByLabel('Name').inputValue()).toBe('Grace');
    // What another client books meanwhile is said.
    await create(service, { slot: slotOf('hall', '07:30', '08:00'), title: 'Quick' });
    await timetable.poll();
    await page.locator('#length', { hasText: 'Overlaps \u2068Quick\u2069, 07:30 to 08:00' }).waitFor();
  });

  it('a time in the past is said to be', async () => {
    const { page } = timetable;
    await timetable.goTo(`${service.url}/timetable?date=2026-11-29&zone=Europe/Berlin`);
    expect(await timetable.row('hall').locator('.free').getAttribute('aria-label')).toMatch(/, in the past$/);
    await page.locator('#new').click();
    expect(await page.locator('#length').innerText()).toBe('1 h in Europe/Berlin, in the past');
  });
});
