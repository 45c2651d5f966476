import { client, desk, slotOf } from '../support/timetable.js';

const { page, panel } = desk;
const TUESDAY = '2026-12-15';
const FRIDAY = '2026-12-18';
const ADDRESS = `?date=${TUESDAY}&span=week&zone=Europe/Berlin&filter=lab/`;

describe('A week', () => {
  beforeAll(async () => {
    await client.create({ slot: slotOf('lab/a', '08:00', '16:00', TUESDAY), guest: { name: 'Ada' } });
    await client.create({ slot: slotOf('lab/a', '18:00', '19:30', TUESDAY), guest: { name: 'Zoë' } });
  });
  const totals = desk.row('lab/a').locator('.total');

  it('has a cell for each resource and day, with who has booked, a count and a bar, which leads to the day', async () => {
    await desk.goTo(ADDRESS);
    const days = ['Mon 14 Dec', 'Tue 15 Dec', 'Wed 16 Dec', 'Thu 17 Dec', 'Fri 18 Dec', 'Sat 19 Dec', 'Sun 20 Dec'];
    expect(await page.locator('.day').allInnerTexts()).toEqual(days);
    expect(await totals.allInnerTexts()).toEqual([
      '',
      '08:00 \u2068Ada\u2069\n18:00 \u2068Zoë\u2069',
      '',
      '',
      '',
      '',
      '',
    ]);
    expect(await totals.evaluateAll((all) => all.map(({ dataset }) => dataset['note']))).toEqual([
      '',
      '2',
      '',
      '',
      '',
      '',
      '',
    ]);
    const label =
      'Tue 15 Dec, 2 bookings, 9 h 30 min taken. Show this day: 08:00 \u2068Ada\u2069, 18:00 \u2068Zoë\u2069';
    await page.getByLabel(label, { exact: true }).waitFor();
    const bar = await totals.nth(1).evaluate(({ style }: HTMLElement) => style.getPropertyValue('--bar-of-taken'));
    expect(bar.match(/[\d.]+%/g)!.join(' ')).toBe('33.33% 33.33% 66.67% 66.67% 75.00% 75.00% 81.25% 81.25%');
    await page.getByLabel('Search').fill('zoe');
    await desk.isAccessible('a week in which a search has found something');
    expect(await page.locator('.total.found').innerText()).toBe('18:00 \u2068Zoë\u2069\n08:00 \u2068Ada\u2069');
    await page.locator('.total.found').click();
    await desk.booked('Zoë').waitFor();
    expect(new URL(page.url()).searchParams.get('date')).toBe(TUESDAY);
    await page.goBack();
    await page.locator('.day', { hasText: 'Thu 17 Dec' }).click();
    await desk.isRead();
    expect(await page.locator('h1').innerText()).toBe('Thu, 17 Dec 2026');
  });

  it('shows as many bookings as there is room for, names these to screen readers, and prints all', async () => {
    for (let hour = 10; hour < 20; hour++) {
      const slot = slotOf('lab/b', `${hour}:00`, `${hour}:30`, FRIDAY);
      await client.create({ slot, name: `guest ${hour}` });
    }
    await desk.goTo(ADDRESS);
    const cell = desk.row('lab/b').locator('.total').nth(4);
    const names = cell.locator('span');
    const sizes = () => names.evaluate(({ scrollHeight, clientHeight }) => [clientHeight / 16, scrollHeight / 16]);
    expect(await sizes()).toEqual([6, 10]);
    expect((await cell.getAttribute('aria-label'))!.match(/guest/g)!.length).toBeGreaterThanOrEqual(6);
    await page.emulateMedia({ media: 'print' });
    const [shown, all] = await sizes();
    expect(shown).toBe(all);
    await page.emulateMedia({ media: 'screen' });
  });

  it('says on which days a resource is free, by day or at a time, and leads there', async () => {
    await desk.goTo(`${ADDRESS}&free=480`);
    expect(await desk.row('lab/a').locator('.wanted').count()).toBe(6);
    await desk.goTo(`${ADDRESS}&free=60&at=09:30`);
    expect(await desk.row('lab/a').locator('.wanted').count()).toBe(6);
    expect(await totals.nth(1).getAttribute('aria-label')).not.toContain('free');
    await desk.row('lab/b').locator('.wanted').nth(1).click();
    expect(await desk.press('Enter')).toBe('');
    expect(await panel.locator('h2').innerText()).toBe('Tue 15 Dec, 09:30 to 10:30');
    await desk.book('Grace');
    await desk.booked('Grace').waitFor();
  });
});
