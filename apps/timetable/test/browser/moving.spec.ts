import { ServiceProcess } from 'testing';
import { ADDRESS, create, DAY, describeInBrowser, listed, slotOf, Timetable } from '../support/timetable.js';

const ROOMS = Array.from({ length: 60 }, (_, index) => `room-${index + 1}`);

describeInBrowser('Moving over the page', () => {
  let service: ServiceProcess;
  let timetable: Timetable;

  beforeAll(async () => {
    service = await ServiceProcess.start({ TIMETABLE_RESOURCES: `${ROOMS.join(',')},hall` });
    await create(service, { slot: slotOf('zoo', '10:00', '11:00'), guest: { name: 'Ada' } });
    timetable = await Timetable.blank();
    await timetable.hurry();
  });
  beforeEach(async () => {
    await timetable.page.setViewportSize({ width: 1280, height: 800 });
    await timetable.goTo(`${service.url}/timetable${ADDRESS}`);
  });
  afterAll(async () => {
    expect(timetable.complaints).toEqual([]);
    await timetable.close();
    await service.stop();
  });

  const frames = () =>
    timetable.page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))`);

  it('leaves rows in their order in the document, so that a screen reader reads them so', async () => {
    const { page } = timetable;
    const indexes = () =>
      page.evaluate<number[]>(`[...document.querySelectorAll('[role=row]')].map((row) => Number(row.ariaRowIndex))`);
    for (const top of [0, 1_500, 600, 900, 0]) {
      await page.evaluate(`document.querySelector('#grid').scrollTop = ${top}`);
      await frames();
      const seen = await indexes();
      expect(seen[0]).toBe(1);
      expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    }
  });

  it('leads Tab to the active cell, however far it was scrolled away', async () => {
    const { page } = timetable;
    await timetable.goTo(`${service.url}/timetable?date=${DAY}&span=week&zone=Europe/Berlin&filter=zoo`);
    await page.setViewportSize({ width: 320, height: 500 });
    await page.locator('[role=gridcell][tabindex="0"]').focus();
    await page.keyboard.press('Home');
    await page.locator('#new').focus();
    await page.evaluate(`document.querySelector('#grid').scrollLeft = 1e6`);
    await frames();
    await page.locator('#new').focus();
    // Past the headings of the days.
    for (let tab = 0; tab < 12; tab++) {
      await page.keyboard.press('Tab');
      if (await page.evaluate(`document.activeElement.matches('.cell')`)) break;
    }
    expect(await page.evaluate(`document.activeElement.matches('.cell')`)).toBe(true);
  });

  it('keeps the focused cell while nothing changes, also where free time is looked for', async () => {
    const { page } = timetable;
    // What is free from now on changes with the minute.
    await page.evaluate('{ const at = Date.now(); Date.now = () => at; }');
    await page.getByLabel('Free for').selectOption('60');
    await page.locator('.cell.wanted').first().focus();
    await page.evaluate('globalThis.focused = document.activeElement');
    for (let poll = 0; poll < 2; poll++) await page.waitForRequest('**/v1/bookings?*');
    await frames();
    expect(await page.evaluate('focused.isConnected && focused === document.activeElement')).toBe(true);
  });

  it('ends a drag by Escape: nothing opens when the button is released', async () => {
    const { page } = timetable;
    const { x, y } = await timetable.pointOf('room-1', `${DAY}T10:00:00+01:00`);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 80, y, { steps: 3 });
    expect(await page.locator('.chosen').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await frames();
    expect(await timetable.panel.isVisible()).toBe(false);
    // The next click is one again.
    await page.mouse.click(x, y);
    await timetable.panel.waitFor();
  });

  it('shows now with Today, and has one entry in the history for each view', async () => {
    const { page } = timetable;
    await page.locator('#today').click();
    await timetable.isRead();
    const before = await page.evaluate<number>('history.length');
    await page.evaluate(`document.querySelector('#grid').scrollLeft = 0`);
    for (let time = 0; time < 3; time++) await page.locator('#today').click();
    await page.locator('#day').click();
    expect(await page.evaluate('history.length')).toBe(before);
    const place = await page.evaluate<number>(
      `document.querySelector('#now').getBoundingClientRect().left - document.querySelector('#grid').getBoundingClientRect().left`,
    );
    expect(place).toBeGreaterThan(100);
    expect(place).toBeLessThan(1_280);
  });

  it('shows the filter of the view that Back leads to', async () => {
    const { page } = timetable;
    const filter = page.getByLabel('Search');
    await filter.fill('zoo');
    await page.locator('#forth').click();
    await filter.fill('hall');
    await page.goBack();
    expect(await filter.inputValue()).toBe('zoo');
    expect(await page.locator('.row .name').allTextContents()).toEqual(['zoo']);
  });

  it('offers the next free hour with New booking, and gives the focus back to the button', async () => {
    const { page } = timetable;
    await create(service, { slot: slotOf('hall', '09:00', '10:15'), guest: { name: 'Choir' } });
    await timetable.booked('Choir').waitFor();
    await page.locator('.row', { hasText: 'hall' }).locator('.cell').first().focus();
    await page.locator('#new').click();
    expect(await page.getByLabel('Resource', { exact: true }).inputValue()).toBe('hall');
    expect(await page.getByLabel('Start time').inputValue()).toBe('11:00');
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement.id')).toBe('new');
  });

  it('says in an open form that another booking has taken the slot', async () => {
    await timetable.drag('room-2', `${DAY}T10:00:00+01:00`, `${DAY}T11:00:00+01:00`);
    await create(service, { slot: slotOf('room-2', '10:30', '11:30'), guest: { name: 'Quick' } });
    await timetable.page.locator('#length', { hasText: 'Overlaps \u2068Quick\u2069, 10:30 to 11:30' }).waitFor();
    expect(await listed(service, 'resource_id=room-2')).toHaveLength(1);
  });

  it('leaves the form, the closed panel and the focus alone when an agenda that was open changes', async () => {
    const { page } = timetable;
    await page.locator('.name[title=room-3]').click();
    await page.locator('.agenda').waitFor();
    await timetable.drag('room-4', `${DAY}T10:00:00+01:00`, `${DAY}T11:00:00+01:00`);
    await page.getByLabel('Name').fill('Grace');
    await create(service, { slot: slotOf('room-3', '10:00', '11:00'), guest: { name: 'Alan' } });
    await timetable.booked('Alan').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Grace');
    expect(await page.locator('.chosen').count()).toBe(1);
    await page.keyboard.press('Escape');
    await create(service, { slot: slotOf('room-3', '12:00', '13:00'), guest: { name: 'Kurt' } });
    await timetable.booked('Kurt').waitFor();
    expect(await timetable.panel.isVisible()).toBe(false);
    await page.locator('.name[title=room-3]').click();
    await page.locator('#filter').focus();
    await create(service, { slot: slotOf('room-3', '14:00', '15:00'), guest: { name: 'Emmy' } });
    await page.locator('.agenda', { hasText: 'Emmy' }).waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('filter');
  });
});
