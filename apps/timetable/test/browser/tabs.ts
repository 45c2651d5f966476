import { desk, listed, type Timetable } from '../support/timetable.js';

const { page, fault } = desk;

describe('Two tabs', () => {
  let other: Timetable;
  beforeAll(async () => {
    other = await desk.tab();
    await Promise.all([other.goTo(), desk.goTo()]);
  });
  // A tab in the background is drawn only once a second.
  beforeEach(() => page.bringToFront());
  afterAll(() => other.page.close());

  it('a booking that is made in one appears in the other', async () => {
    await desk.drag('room-4', 9, 10);
    await desk.book('First');
    await desk.booked('First').waitFor();
    await other.page.bringToFront();
    await other.pass();
    await other.booked('First').waitFor();
  });

  it('of two that book the same time one wins; the other sees the clash, and books another time', async () => {
    await desk.drag('room-4', 15, 16);
    await other.page.bringToFront();
    await other.drag('room-4', 15.5, 17);
    await other.book('Quicker');
    await other.booked('Quicker').waitFor();
    await page.bringToFront();
    await desk.book('Slower');
    const taken = 'Taken: \u2068room-4\u2069 is booked Tue 1 Dec, 15:30 to 17:00. Nothing was booked.';
    await fault.filter({ hasText: taken }).waitFor();
    await desk.booked('Quicker').waitFor();
    const [held, quick] = [await page.locator('.held').boundingBox(), await desk.booked('Quicker').boundingBox()];
    expect([Math.round(held!.x), Math.round(held!.width)]).toEqual([Math.round(quick!.x), Math.round(quick!.width)]);
    const clash = '1 h in Europe/Berlin · Overlaps \u2068Quicker\u2069, 15:30 to 17:00';
    expect(await page.getByRole('status').and(page.locator('#length')).innerText()).toBe(clash);
    await desk.isAccessible('a clash');
    await desk.enter({ start: '2026-12-01T17:00' });
    await desk.book();
    await desk.booked('Slower').waitFor();
    expect(await page.locator('.held, .chosen').count()).toBe(0);
    const booked = [
      ['08:00', 'First'],
      ['14:30', 'Quicker'],
      ['16:00', 'Slower'],
    ];
    expect(await listed('room-4')).toEqual(booked);
  });
});
