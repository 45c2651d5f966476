import { ServiceProcess } from 'testing';
import { ADDRESS, at, create, slotOf, Timetable } from '../support/timetable.js';

describe('Moving over the page', () => {
  let service: ServiceProcess;
  let timetable: Timetable;
  let id: string;
  beforeAll(async () => {
    const rooms = Array.from({ length: 60 }, (_, index) => `room-${index + 1}`);
    service = await ServiceProcess.start({ TIMETABLE_RESOURCES: `${rooms.join(',')},hall,lab/a,lab/b` });
    ({ booking_id: id } = await create(service, { slot: slotOf('hall', '10:00', '12:00'), title: 'Zoë; the choir' }));
    timetable = await Timetable.blank();
  });
  beforeEach(() => timetable.goTo(`${service.url}/timetable${ADDRESS}`));
  afterAll(async () => {
    expect(timetable.complaints.filter((text) => !text.includes('404'))).toEqual([]);
    await timetable.close();
    await service.stop();
  });
  const press = async (...keys: string[]) => {
    for (const key of keys) await timetable.page.keyboard.press(key);
    return timetable.focused();
  };

  it('Tab stops once in the grid; arrows lead over cells and days, Home and End to the edges', async () => {
    const { page } = timetable;
    const stops = () => page.locator('#grid').locator('[tabindex="0"], button:not([tabindex="-1"])').count();
    expect(await stops()).toBe(1);
    await page.locator('#new').focus();
    expect(await press('Tab', 'Home', 'ArrowRight')).toBe('Zoë; the choir, 10:00 to 12:00');
    // The heading of a group is no stop.
    await press('Control+End');
    expect(await timetable.row('lab/b').locator(':focus').count()).toBe(1);
    expect(await stops()).toBe(1);
    await press('ArrowUp', 'ArrowUp');
    expect(await timetable.row('room-60').locator(':focus').count()).toBe(1);
    await press('Tab');
    expect(await page.locator('#grid :focus').count()).toBe(0);
    await page.locator('#week').click();
    await timetable.isRead();
    await page.locator('.cell[tabindex="0"]').focus();
    expect(await press('Control+Home', 'ArrowRight')).toBe('Tue 1 Dec: 1 booking, 2 h taken. Show this day');
    await press('ArrowDown', 'Enter');
    await timetable.isRead();
    expect(await press('Enter')).toBe('');
    // An hour of a free day begins at nine, not at midnight.
    expect(await timetable.panel.locator('h2').innerText()).toBe('Tue 1 Dec, 09:00 to 10:00');
  });

  it('letters choose the view, the search and a new booking, where nothing is typed', async () => {
    const { page } = timetable;
    const shown = () => new URL(page.url()).searchParams;
    await press('w');
    expect(shown().get('span')).toBe('week');
    await press('d', 'ArrowRight');
    expect([shown().get('span'), shown().get('date')]).toEqual(['day', '2026-12-02']);
    await press('t');
    expect(shown().get('date')).toBe(null);
    await press('/', 'd', 'w');
    expect(await page.getByLabel('Search').inputValue()).toBe('dw');
    await page.getByLabel('Search').fill('');
    await page.locator('#today').focus();
    await press('n');
    expect(await timetable.panel.isVisible()).toBe(true);
  });

  it('the address of a booking opens its details, in its day', async () => {
    const { page } = timetable;
    await timetable.booked('Zoë').click();
    expect(new URL(page.url()).hash).toBe(`#${id}`);
    await press('Escape');
    expect(new URL(page.url()).hash).toBe('');
    await page.evaluate(`location.hash = '${id}'`);
    await timetable.panel.waitFor();
    await press('Escape');
    const other = await Timetable.open(service, `?zone=Europe/Berlin#${id}`);
    await other.panel.filter({ hasText: 'Zoë; the choir' }).waitFor();
    expect(await other.page.locator('h1').innerText()).toBe('Tue, 1 Dec 2026');
    await other.page.goto('about:blank');
    await other.goTo(`${service.url}/timetable${ADDRESS}#missing`);
    await other.page.locator('#toast', { hasText: 'This booking cannot be shown.' }).waitFor();
    await other.close();
  });

  it('a row that is far away keeps its place in the document, and its focus', async () => {
    const { page } = timetable;
    await page.locator('.cell[tabindex="0"]').focus();
    for (const top of [0, 1_500, 600, 0]) {
      await page.evaluate(`document.querySelector('#grid').scrollTop = ${top}`);
      await timetable.frames();
      expect(await page.locator('.cell:focus').count()).toBe(1);
    }
  });

  it('print shows all rows', async () => {
    const { page } = timetable;
    const empty = () => page.locator('.row:empty').count();
    expect(await empty()).toBeGreaterThan(0);
    // At once: a printer does not wait for what comes near.
    await page.evaluate(`matchMedia('print').addEventListener('change', () => {
      globalThis.emptyInPrint ??= document.querySelectorAll('.row:empty').length;
    })`);
    await page.emulateMedia({ media: 'print' });
    await page.waitForFunction('globalThis.emptyInPrint !== undefined');
    expect(await page.evaluate('emptyInPrint')).toBe(0);
    const isWhole = `document.querySelector('#grid').scrollWidth <= innerWidth && document.querySelector('#grid').clientHeight > 60 * 40`;
    expect(await page.evaluate(isWhole)).toBe(true);
    await page.emulateMedia({ media: null });
  });

  it('a drag says its times and what it clashes with, and ends by Escape', async () => {
    const { page } = timetable;
    const [from, to] = [await timetable.pointOf('hall', at('08:00')), await timetable.pointOf('hall', at('10:30'))];
    await page.mouse.move(from.x + 1, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x - 1, to.y, { steps: 3 });
    expect(await page.locator('.chosen.clash').innerText()).toBe('08:00 to 10:30');
    await press('Escape');
    await page.mouse.up();
    await timetable.frames();
    expect(await timetable.panel.isVisible()).toBe(false);
    expect(await page.locator('.mark').count()).toBe(0);
  });

  it('a time in the past is said to be; what another client books meanwhile is said', async () => {
    const { page } = timetable;
    await timetable.goTo(`${service.url}/timetable?date=2026-11-29&zone=Europe/Berlin`);
    expect(await timetable.row('hall').locator('.free').getAttribute('aria-label')).toMatch(/, in the past$/);
    await page.locator('#new').click();
    const length = page.getByRole('status').and(page.locator('#length'));
    expect(await length.innerText()).toBe('1 h in Europe/Berlin, in the past');
    const slot = { resource_id: 'hall', start: '2026-11-29T09:30:00+01:00', end: '2026-11-29T10:00:00+01:00' };
    await create(service, { slot, title: 'Quick' });
    await timetable.poll();
    await length.filter({ hasText: 'Overlaps \u2068Quick\u2069, 09:30 to 10:00' }).waitFor();
  });
});
