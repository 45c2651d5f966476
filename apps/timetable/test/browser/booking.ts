import { expectAccessible } from '../support/accessible.js';
import { at, client, desk, INTERFACE, listed, slotOf } from '../support/timetable.js';

const { page, panel, fault } = desk;
const start = page.getByLabel('Start', { exact: true });

describe('Booking', () => {
  beforeAll(() => client.create({ slot: slotOf('room-2', '10:00', '11:00'), guest: { name: 'Ada' } }));
  beforeEach(() => desk.goTo());

  it('by the button, at times that are typed in, with further members', async () => {
    await page.getByRole('button', { name: 'New booking' }).click();
    await page.getByLabel('Resource', { exact: true }).fill(' new room ');
    await desk.enter('start', '2026-12-01 13:05');
    expect(await page.getByLabel('End', { exact: true }).inputValue()).toBe('2026-12-01T14:05');
    await desk.enter('end', '2026-12-01 13:35');
    await page.getByText('30 min in Europe/Berlin · A new resource').waitFor();
    await page.getByText('Advanced').click();
    await page.locator('#members').fill('{"note": "by the window", "guest": {"phone": "1"}, "__proto__x": [1]}');
    await desk.book('Edsger');
    await desk.booked('Edsger').click();
    expect(await panel.innerText()).toMatch(
      /When\s+Tue 1 Dec, 13:05 to 13:35\s[^]*note\s+by the window\s[^]*guest · phone\s+1/,
    );
    await expectAccessible(desk, 'the details of a booking');
    expect(await listed('new room')).toEqual([['12:05', 'Edsger']]);
  });

  it('by keys alone, over booked and free cells that a screen reader can name', async () => {
    await page.locator('[role=gridcell][tabindex="0"]').focus();
    // From the last cell of the first two rows to that of room-2.
    await desk.press('Control+Home', 'End');
    while ((await desk.row('room-2').locator(':focus').count()) === 0) await desk.press('ArrowDown');
    expect(await desk.press()).toBe('Free 11:00 to 24:00, 13 h');
    await desk.press('ArrowLeft', 'Enter');
    expect(await panel.innerText()).toContain('guest · name\nAda');
    expect(await desk.press('Escape')).toBe('Ada, 10:00 to 11:00');
    await desk.press('ArrowRight', 'Enter');
    await page.getByLabel('Name').fill('Barbara');
    await desk.press('Enter');
    await desk.booked('Barbara').waitFor();
    await panel.waitFor({ state: 'hidden' });
    expect(await desk.press()).toBe('Barbara, 11:00 to 12:00');
    expect(await listed('room-2')).toContainEqual(['10:00', 'Barbara']);
  });

  it('says what is wrong once, below, here and in the words of the service', async () => {
    const isPointedOut = async (id: string, text: string) => {
      await desk.book();
      await page.locator('#length, #fault').filter({ hasText: text }).waitFor();
      expect(await page.locator('[aria-invalid]:focus').getAttribute('id')).toBe(id);
    };
    await desk.drag('room-6', at('15:00'), at('16:00'));
    await desk.enter('end', '2026-12-01 14:30');
    await isPointedOut('end', 'The end must be after the start.');
    expect(await fault.isVisible()).toBe(false);
    await desk.enter('end', '2026-12-01 16:00');
    await page.getByLabel('Resource', { exact: true }).fill('');
    await isPointedOut('resource', 'Enter what is to be booked.');
    await page.getByLabel('Resource', { exact: true }).fill('room-6');
    await page.getByText('Advanced').click();
    await page.locator('#members').fill('[1]');
    await isPointedOut('members', 'This is not a JSON object.');
    await page.locator('#members').fill('{"booking_id": 1}');
    await desk.book();
    await fault.filter({ hasText: /The service rejected this: .*#\/booking_id/ }).waitFor();
    expect(await listed('room-6')).toEqual([]);
  });

  it('an open form is not replaced by the booking that is clicked to see who has it, and moves to free time', async () => {
    await desk.drag('room-7', at('09:00'), at('10:00'));
    await page.getByLabel('Name').fill('Grace');
    await desk.booked('Ada').click();
    await desk.hasToast('Ada\u2069, Tue 1 Dec, 10:00 to 11:00. Finish or cancel the open form');
    await desk.choose('room-3', at('14:10'));
    expect([await start.inputValue(), await page.getByLabel('Name').inputValue()]).toEqual([
      '2026-12-01T14:00',
      'Grace',
    ]);
  });

  it('creates one booking if responses are lost, and keeps its slot and its key, whatever is clicked', async () => {
    const keys: (string | undefined)[] = [];
    await page.route(INTERFACE, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      keys.push(route.request().headers()['idempotency-key']);
      const response = await route.fetch();
      return keys.length < 3 ? route.abort('connectionreset') : route.fulfill({ response });
    });
    await desk.drag('room-5', at('15:00'), at('16:00'));
    await desk.book('Lost');
    const findOut = page.getByRole('button', { name: 'Find out' });
    await findOut.click();
    await fault.filter({ hasText: 'may have been booked' }).waitFor();
    await desk.choose('room-7', at('17:10'));
    await desk.booked('Ada').click();
    // Only what was sent may be sent again.
    expect([await start.isDisabled(), await start.inputValue()]).toEqual([true, '2026-12-01T15:00']);
    await expectAccessible(desk, 'an unclear booking');
    await findOut.click();
    await panel.waitFor({ state: 'hidden' });
    expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
    expect(await listed('room-5')).toEqual([['14:00', 'Lost']]);
  });

  it('says when a create that was limited can be tried again', async () => {
    await desk.drag('room-8', at('15:00'), at('16:00'));
    await page.route(INTERFACE, (route) => route.fulfill({ status: 429, headers: { 'Retry-After': '60' } }));
    await desk.book('Soon');
    const text = /limits requests\. Nothing was booked\. Try again at \d\d:\d\d:\d\d\./;
    await fault.filter({ hasText: text }).waitFor();
  });

  it('books the instant that it says, whatever the clock of the page becomes', async () => {
    await desk.drag('room-1', at('18:00'), at('19:00'));
    await page.locator('#zone').focus();
    await page.locator('#zone').selectOption('Asia/Tokyo');
    expect(await page.locator('#length').innerText()).toContain('Europe/Berlin');
    await desk.enter('end', '2026-12-01 20:30');
    // Of another day than is shown, it is not known what is booked.
    await page.locator('#length', { hasText: 'Not read: may be taken' }).waitFor();
    await desk.enter('end', '2026-12-01 19:00');
    await desk.book('Grace');
    await panel.waitFor({ state: 'hidden' });
    expect(await listed('room-1')).toEqual([['17:00', 'Grace']]);
  });

  it('a late response leaves the next form open, with what was entered', async () => {
    await desk.drag('room-2', at('13:00'), at('14:00'));
    const release = await desk.hold();
    await desk.book('First');
    // The focus stays in the form, so that Escape still closes it.
    await page.locator('#book:focus', { hasText: 'Booking…' }).waitFor();
    await page.locator('#cancel').click();
    await desk.drag('room-3', at('11:00'), at('12:00'));
    await page.getByLabel('Name').fill('Second');
    await client.create({ slot: slotOf('room-2', '13:30', '14:30'), guest: { name: 'Quick' } });
    release();
    await desk.hasToast('Taken: \u2068room-2\u2069 is booked Tue 1 Dec, 13:30 to 14:30.');
    expect(await page.getByLabel('Name').inputValue()).toBe('Second');
    await page.locator('#book').click();
    await desk.hasToast('Booked \u2068room-3\u2069, Tue 1 Dec, 11:00 to 12:00.');
    expect(await listed('room-3')).toContainEqual(['10:00', 'Second']);
  });

  it('a time in the past is said to be; what another client books meanwhile is said', async () => {
    await desk.goTo('?date=2026-11-29&zone=Europe/Berlin');
    expect(await desk.row('hall').locator('.free').getAttribute('aria-label')).toMatch(/, in the past$/);
    await page.locator('#new').click();
    const length = page.getByRole('status').and(page.locator('#length'));
    expect(await length.innerText()).toBe('1 h in Europe/Berlin, in the past');
    await client.create({ slot: slotOf('hall', '09:30', '10:00', '2026-11-29'), title: 'Quick' });
    await desk.pass();
    await length.filter({ hasText: 'Overlaps \u2068Quick\u2069, 09:30 to 10:00' }).waitFor();
  });
});
