import { ServiceProcess } from 'testing';
import { ADDRESS, create, PHONE, slotOf, Timetable } from '../support/timetable.js';

const WEEK = ADDRESS.replace('span=day', 'span=week');

describe('A week', () => {
  let service: ServiceProcess;
  let timetable: Timetable;
  beforeAll(async () => {
    service = await ServiceProcess.start({ TIMETABLE_RESOURCES: 'room-1,room-2' });
    await create(service, { slot: slotOf('room-1', '06:00', '12:00'), guest: { name: 'Ada' } });
    await create(service, { slot: slotOf('room-1', '18:00', '19:30'), guest: { name: 'Zoë' } });
  });
  afterEach(async () => {
    expect(timetable.complaints).toEqual([]);
    await timetable.close();
  });
  afterAll(() => service.stop());
  const texts = () => timetable.row('room-1').locator('.total').allInnerTexts();

  it('has a cell for each resource and day, with a count and a bar of what is taken, which leads to the day', async () => {
    timetable = await Timetable.open(service, WEEK);
    const { page } = timetable;
    await timetable.row('room-1').locator('.total').first().waitFor();
    expect(await page.locator('.day').allInnerTexts()).toEqual([
      'Mon 30 Nov',
      'Tue 1 Dec',
      'Wed 2 Dec',
      'Thu 3 Dec',
      'Fri 4 Dec',
      'Sat 5 Dec',
      'Sun 6 Dec',
    ]);
    expect(await texts()).toEqual(['', '2', '', '', '', '', '']);
    const cell = timetable.row('room-1').locator('.total').nth(1);
    expect(await cell.getAttribute('aria-label')).toBe('Tue 1 Dec: 2 bookings, 7 h 30 min taken. Show this day');
    const bar = await cell.evaluate((element) => (element as HTMLElement).style.getPropertyValue('--bar-of-taken'));
    expect(bar.match(/[\d.]+%/g)).toEqual([
      '25.00%',
      '25.00%',
      '50.00%',
      '50.00%',
      '75.00%',
      '75.00%',
      '81.25%',
      '81.25%',
    ]);
    await page.getByLabel('Search').fill('zoe');
    await page.locator('.total.found').click();
    await timetable.booked('Zoë').waitFor();
    expect(new URL(page.url()).searchParams.get('date')).toBe('2026-12-01');
    await page.goBack();
    await page.locator('.day', { hasText: 'Thu 3 Dec' }).click();
    await timetable.isRead();
    expect(await page.locator('h1').innerText()).toBe('Thu, 3 Dec 2026');
  });

  it('fits a phone, and begins on Sunday where that is so', async () => {
    timetable = await Timetable.open(service, WEEK, { ...PHONE, locale: 'en-US' });
    const { page } = timetable;
    await timetable.row('room-1').locator('.total').first().waitFor();
    expect(await texts()).toEqual(['', '', '2', '', '', '', '']);
    expect(await page.locator('.day').first().innerText()).toBe('Sun Nov 29');
    const widths = await page.evaluate(
      `(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])(document.querySelector('#grid'))`,
    );
    expect(widths).toEqual([390, 390]);
    for (const id of ['today', 'back', 'date', 'forth', 'day', 'week', 'menu', 'new']) {
      const { x, width } = (await page.locator(`#${id}`).boundingBox())!;
      expect([id, x >= 0 && x + width <= 390]).toEqual([id, true]);
    }
    await page.locator('#menu').click();
    expect(await page.getByLabel('Search').isVisible()).toBe(true);
  });

  it('says on which days a resource is free at a time; the most often free one is first', async () => {
    timetable = await Timetable.open(service, `${WEEK}&free=60&at=09:30`);
    const { page } = timetable;
    await timetable.row('room-1').locator('.total').first().waitFor();
    expect(await page.locator('.name bdi').allTextContents()).toEqual(['room-2', 'room-1']);
    expect(await timetable.row('room-1').locator('.wanted').count()).toBe(6);
    expect(await timetable.row('room-1').locator('.total').nth(1).getAttribute('aria-label')).not.toContain('free');
    await timetable.row('room-2').locator('.wanted').nth(1).click();
    await timetable.row('room-2').locator('.free.wanted').click();
    expect(await timetable.panel.locator('h2').innerText()).toBe('Tue 1 Dec, 09:30 to 10:30');
  });
});
