import { ServiceProcess } from 'testing';
import { ADDRESS, at, create, listed, PHONE, slotOf, Timetable } from '../support/timetable.js';

const RESOURCES = 'room-1,room-2,room-3,room-4,room-5,room-6,room-7,room-8,room-9';

describe('Booking', () => {
  let service: ServiceProcess;
  let timetable: Timetable;
  beforeAll(async () => {
    service = await ServiceProcess.start({ TIMETABLE_RESOURCES: RESOURCES });
    await create(service, { slot: slotOf('room-2', '10:00', '11:00'), guest: { name: 'Ada' } });
    timetable = await Timetable.open(service);
    await timetable.intercept();
  });
  afterEach(() => (timetable.treat = () => 'pass'));
  afterAll(async () => {
    // The browser logs every rejection.
    const isRejection = (text: string) => /Failed to load resource: .*(?:409|422|429|ERR_)/.test(text);
    expect(timetable.complaints.filter((text) => !isRejection(text))).toEqual([]);
    await timetable.close();
    await service.stop();
  });
  const slotsOf = async (resource: string) =>
    (await listed(service, resource)).map(([start, name]) => [start.slice(11, 16), name]);

  it('by the button, at times that are typed in, with further members', async () => {
    const { page } = timetable;
    await page.getByRole('button', { name: 'New booking' }).click();
    await page.getByLabel('Resource', { exact: true }).fill(' a new one ');
    await timetable.enter('start', '2026-12-01 13:05');
    expect(await page.getByLabel('End', { exact: true }).inputValue()).toBe('2026-12-01T14:05');
    await timetable.enter('end', '2026-12-01 13:35');
    await page.getByText('30 min in Europe/Berlin · A new resource').waitFor();
    await page.getByText('Advanced').click();
    await page.locator('#members').fill('{"note": "by the window", "guest": {"phone": "1"}, "__proto__x": [1]}');
    await timetable.book('Edsger');
    await timetable.booked('Edsger').click();
    const details = await timetable.panel.innerText();
    expect(details).toMatch(/When\s+Tue 1 Dec, 13:05 to 13:35\s[^]*note\s+by the window\s[^]*guest · phone\s+1/);
    expect(await slotsOf('a new one')).toEqual([['12:05', 'Edsger']]);
    await page.keyboard.press('Escape');
  });

  it('by keyboard alone, over booked and free cells that a screen reader can name', async () => {
    const { page } = timetable;
    await page.locator('[role=gridcell][tabindex="0"]').focus();
    // From the last cell of the first row, over room-1, to that of room-2.
    for (const key of ['Control+Home', 'End', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
    expect(await timetable.focused()).toBe('Free 11:00 to 24:00, 13 h');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    expect(await timetable.panel.innerText()).toContain('guest · name\nAda');
    await page.keyboard.press('Escape');
    expect(await timetable.focused()).toBe('Ada, 10:00 to 11:00');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByLabel('Name').waitFor();
    await page.keyboard.type('Barbara');
    await page.keyboard.press('Enter');
    await timetable.booked('Barbara').waitFor();
    await timetable.panel.waitFor({ state: 'hidden' });
    expect(await timetable.focused()).toBe('Barbara, 11:00 to 12:00');
    expect(await slotsOf('room-2')).toContainEqual(['10:00', 'Barbara']);
  });

  it('by touch, on a phone', async () => {
    const phone = await Timetable.open(service, ADDRESS, PHONE);
    const { x, y } = await phone.pointOf('room-3', at('08:10'));
    await phone.page.touchscreen.tap(x, y);
    await phone.page.getByLabel('Name').fill('Alan');
    await phone.page.getByRole('button', { name: 'Book', exact: true }).tap();
    await phone.booked('Alan').waitFor();
    expect(await slotsOf('room-3')).toEqual([['07:00', 'Alan']]);
    await phone.close();
  });

  it('says what is wrong once, below, here and in the words of the service', async () => {
    const { page, fault } = timetable;
    const focused = () => page.evaluate('[document.activeElement.id, document.activeElement.ariaInvalid]');
    await timetable.drag('room-6', at('15:00'), at('16:00'));
    await timetable.enter('end', '2026-12-01 14:30');
    await timetable.book();
    expect(await page.locator('#length').innerText()).toBe('The end must be after the start.');
    expect([await focused(), await fault.isVisible()]).toEqual([['end', 'true'], false]);
    await timetable.enter('end', '2026-12-01 16:00');
    await page.getByLabel('Resource', { exact: true }).fill('');
    await timetable.book();
    expect([await focused(), await fault.innerText()]).toEqual([['resource', 'true'], 'Enter what is to be booked.']);
    await page.getByLabel('Resource', { exact: true }).fill('room-6');
    await page.getByText('Advanced').click();
    await page.locator('#members').fill('[1]');
    await timetable.book();
    expect([await focused(), await fault.innerText()]).toEqual([['members', 'true'], 'This is not a JSON object.']);
    await page.locator('#members').fill('{"booking_id": 1}');
    await timetable.book();
    await fault.filter({ hasText: /The service rejected this: .*#\/booking_id/ }).waitFor();
    await page.keyboard.press('Escape');
    expect(await slotsOf('room-6')).toEqual([]);
  });

  it('a slot that another client booked first is rejected and outlined; the form books another time', async () => {
    const { page, fault } = timetable;
    await timetable.drag('room-4', at('15:00'), at('16:00'));
    await create(service, { slot: slotOf('room-4', '15:30', '17:00'), guest: { name: 'Quick' } });
    await timetable.book('Slow');
    await timetable.booked('Quick').waitFor();
    const taken = 'Taken: \u2068room-4\u2069 is booked Tue 1 Dec, 15:30 to 17:00. Nothing was booked.';
    expect(await fault.innerText()).toBe(taken);
    const [held, quick] = [await page.locator('.held').boundingBox(), await timetable.booked('Quick').boundingBox()];
    expect([Math.round(held!.x), Math.round(held!.width)]).toEqual([Math.round(quick!.x), Math.round(quick!.width)]);
    const clash = '1 h in Europe/Berlin · Overlaps \u2068Quick\u2069, 15:30 to 17:00';
    expect(await page.getByRole('status').and(page.locator('#length')).innerText()).toBe(clash);
    await timetable.enter('start', '2026-12-01 17:00');
    await timetable.book();
    await timetable.booked('Slow').waitFor();
    expect(await page.locator('.held, .chosen').count()).toBe(0);
    expect(await slotsOf('room-4')).toEqual([
      ['14:30', 'Quick'],
      ['16:00', 'Slow'],
    ]);
  });

  it('creates one booking if responses are lost, and keeps its form and its key, whatever is clicked', async () => {
    const { page } = timetable;
    const keys: (string | undefined)[] = [];
    await page.route('**/v1/bookings', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      keys.push(route.request().headers()['idempotency-key']);
      const response = await route.fetch();
      return keys.length < 3 ? route.abort('connectionreset') : route.fulfill({ response });
    });
    await timetable.drag('room-5', at('15:00'), at('16:00'));
    await timetable.book('Lost');
    const findOut = page.getByRole('button', { name: 'Find out' });
    await findOut.click();
    await timetable.fault.filter({ hasText: 'may have been booked' }).waitFor();
    await timetable.choose('room-7', at('17:10'));
    await timetable.booked('Ada').click();
    // Only what was sent may be sent again.
    const start = page.getByLabel('Start', { exact: true });
    expect([await start.isDisabled(), await start.inputValue()]).toEqual([true, '2026-12-01T15:00']);
    await findOut.click();
    await timetable.panel.waitFor({ state: 'hidden' });
    await page.unroute('**/v1/bookings');
    expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
    expect(await slotsOf('room-5')).toEqual([['14:00', 'Lost']]);
  });

  it('says when a create that was limited can be tried again', async () => {
    await timetable.drag('room-8', at('15:00'), at('16:00'));
    timetable.treat = () => ({ status: 429, headers: { 'Retry-After': '60' } });
    await timetable.book('Soon');
    const text = /limits requests\. Nothing was booked\. Try again at \d\d:\d\d:\d\d\./;
    await timetable.fault.filter({ hasText: text }).waitFor();
    await timetable.page.keyboard.press('Escape');
    timetable.treat = () => 'pass';
    await timetable.page.getByRole('button', { name: 'Try now' }).click();
  });

  it('books the instant that it says, whatever the clock of the page becomes', async () => {
    const { page } = timetable;
    await timetable.drag('room-1', at('18:00'), at('19:00'));
    await page.locator('#zone').focus();
    await page.locator('#zone').selectOption('Asia/Tokyo');
    expect(await page.locator('#length').innerText()).toContain('Europe/Berlin');
    await timetable.enter('end', '2026-12-01 20:30');
    // Of another day than is shown, it is not known what is booked.
    await page.locator('#length', { hasText: 'Not read: may be taken' }).waitFor();
    await timetable.enter('end', '2026-12-01 19:00');
    await timetable.book('Grace');
    await timetable.panel.waitFor({ state: 'hidden' });
    expect(await slotsOf('room-1')).toEqual([['17:00', 'Grace']]);
    await page.goBack();
    await timetable.isRead();
  });

  it('a late response leaves the next form open, with what was entered', async () => {
    const { page } = timetable;
    await timetable.drag('room-2', at('13:00'), at('14:00'));
    const release = timetable.hold();
    await timetable.book('First');
    await page.getByRole('button', { name: 'Booking…' }).waitFor();
    // The focus stays in the form, so that Escape still closes it.
    expect(await page.evaluate('document.activeElement.id')).toBe('book');
    await page.locator('#cancel').click();
    await timetable.drag('room-3', at('11:00'), at('12:00'));
    await page.getByLabel('Name').fill('Second');
    await create(service, { slot: slotOf('room-2', '13:30', '14:30'), guest: { name: 'Quick' } });
    release();
    await page
      .locator('#toast', { hasText: 'Taken: \u2068room-2\u2069 is booked Tue 1 Dec, 13:30 to 14:30.' })
      .waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Second');
    await page.locator('#book').click();
    await page.locator('#toast', { hasText: 'Booked \u2068room-3\u2069, Tue 1 Dec, 11:00 to 12:00.' }).waitFor();
    expect(await slotsOf('room-3')).toContainEqual(['10:00', 'Second']);
  });
});
