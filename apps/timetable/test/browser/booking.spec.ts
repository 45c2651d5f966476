import { client, desk, INTERFACE, listed, slotOf, Timetable } from '../support/timetable.js';

const { page, panel, fault } = desk;
const length = page.getByRole('status').and(page.locator('#length'));
const start = page.getByLabel('Start', { exact: true });

describe('Booking', () => {
  beforeAll(async () => {
    await client.create({ slot: slotOf('room-2', '10:00', '11:00'), guest: { name: 'Ada' } });
    await client.create({ slot: slotOf('hall', '10:00', '12:00') });
  });
  beforeEach(() => desk.goTo());

  it('by the button, at typed times, with further members', async () => {
    await page.getByRole('button', { name: 'New booking' }).click();
    await desk.enter({ resource: ' new room ', start: '2026-12-01T13:05' });
    expect(await page.getByLabel('End', { exact: true }).inputValue()).toBe('2026-12-01T14:05');
    await page.getByText('More, as JSON').click();
    const members = '{"note": "by the window", "guest": {"phone": "1"}, "__proto__x": [1]}';
    await desk.enter({ end: '2026-12-01T13:35', members });
    await page.getByRole('button', { name: 'Book new resource \u2068new room\u2069' }).waitFor();
    await desk.book('Edsger');
    await desk.booked('Edsger').click();
    const details = /When\s+Tue 1 Dec, 13:05 to 13:35\s[^]*note\s+by the window\s[^]*guest · phone\s+1/;
    expect(await panel.innerText()).toMatch(details);
    expect(await panel.innerText()).toContain('cannot be changed or cancelled here. Ask whoever runs this service.');
    await desk.isAccessible('the details of a booking');
    expect(await listed('new room')).toEqual([['12:05', 'Edsger']]);
  });

  it('by keys alone, over booked and free cells that a screen reader can name', async () => {
    await desk.goTo('?date=2026-12-01&zone=Europe/Berlin&filter=room-2');
    await page.locator('[role=gridcell][tabindex="0"]').focus();
    expect(await desk.press('End')).toBe('Free 11:00 to 24:00, 13 h');
    await desk.press('ArrowLeft', 'Enter');
    expect(await panel.innerText()).toContain('Ada\nResource\nroom-2');
    expect(await desk.press('Escape')).toBe('Ada, 10:00 to 11:00');
    await desk.press('ArrowRight', 'Enter');
    await page.getByLabel('Name').and(page.locator(':focus')).fill('Barbara');
    await desk.press('Enter');
    await panel.waitFor({ state: 'hidden' });
    expect(await desk.press()).toBe('Barbara, 11:00 to 12:00');
    expect(await listed('room-2')).toContainEqual(['10:00', 'Barbara']);
  });

  it('creates one booking if responses are lost, and keeps its slot and its key, whatever is clicked', async () => {
    const keys: (string | undefined)[] = [];
    await page.route(INTERFACE, async (route) => {
      if (route.request().method() !== 'POST') return keys.length % 3 === 0 ? route.continue() : route.abort();
      keys.push(route.request().headers()['idempotency-key']);
      const response = await route.fetch();
      return keys.length < 3 ? route.abort('connectionreset') : route.fulfill({ response });
    });
    await desk.drag('room-5', 15, 16);
    await desk.book('Lost');
    const sendAgain = page.getByRole('button', { name: 'Send again' });
    await sendAgain.click();
    await fault.filter({ hasText: 'may have been booked' }).waitFor();
    await desk.choose('room-7', 17.2);
    await desk.booked('Ada').click();
    expect([await start.isDisabled(), await start.inputValue()]).toEqual([true, '2026-12-01T15:00']);
    await desk.isAccessible('an unclear booking');
    await page.clock.pauseAt('2026-11-30T09:10:00Z');
    await desk.says('trouble', 'has not responded');
    await sendAgain.click();
    // The page reads at once, not at its next attempt.
    await desk.isRead();
    await page.clock.resume();
    await panel.waitFor({ state: 'hidden' });
    expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
    expect(await listed('room-5')).toEqual([['14:00', 'Lost']]);
  });

  it('in another tab at the same time is a clash, which is outlined; the form books another time', async () => {
    await desk.goTo();
    await desk.drag('room-4', 15, 16);
    const other = new Timetable(await page.context().newPage());
    await other.goTo();
    await other.drag('room-4', 15.5, 17);
    await other.book('Winner');
    await other.booked('Winner').waitFor();
    await client.create({ slot: slotOf('room-4', '15:00', '15:15'), guest: { name: 'Early' } });
    // Browsers draw a tab in the background only once a second.
    await page.bringToFront();
    await desk.pass();
    const overlaps = 'Overlaps \u2068Early\u2069, 15:00 to 15:15; \u2068Winner\u2069, 15:30 to 17:00';
    await length.filter({ hasText: `1 h in Europe/Berlin · ${overlaps}` }).waitFor();
    await desk.book('Loser');
    await length.filter({ hasText: `Taken, nothing was booked. ${overlaps}` }).waitFor();
    expect(await fault.isVisible()).toBe(false);
    const sideOf = async (selector: string) => Math.round((await page.locator(selector).boundingBox())!.x);
    expect(await sideOf('#open')).toBe(await sideOf('.booked[aria-label^=Winner]'));
    await desk.isAccessible('a clash');
    await desk.enter({ start: '2026-12-01T17:00' });
    expect(await length.innerText()).toBe('1 h in Europe/Berlin');
    await desk.book();
    await desk.booked('Loser').waitFor();
    expect(await page.locator('#marks > :visible').count()).toBe(0);
    await other.page.bringToFront();
    await other.pass();
    await other.booked('Loser').waitFor();
    await other.page.close();
  });
});
