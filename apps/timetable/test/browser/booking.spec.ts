import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceProcess } from 'testing';
import { ADDRESS, create, describeInBrowser, listed, slotOf, Timetable } from '../support/timetable.js';

const RESOURCES = 'room-1,room-2,room-3,room-4,room-5,room-6,room-7,room-8,room-9';

describeInBrowser('Booking', () => {
  let service: ServiceProcess;
  let timetable: Timetable;

  beforeAll(async () => {
    service = await ServiceProcess.start({ TIMETABLE_RESOURCES: RESOURCES });
    await create(service, { slot: slotOf('room-2', '10:00', '11:00'), guest: { name: 'Ada' } });
    timetable = await Timetable.open(service);
  });
  afterAll(async () => {
    // The browser logs every rejection.
    expect(timetable.complaints.filter((text) => !/Failed to load resource: .*(?:409|ERR_)/.test(text))).toEqual([]);
    await timetable.close();
    await service.stop();
  });

  const slotsOf = async (resource: string) =>
    (await listed(service, `resource_id=${resource}&sort=start`)).map(({ slot, ...own }) => [
      slot!.start.slice(11, 16),
      slot!.end.slice(11, 16),
      own['guest'],
    ]);

  it('by dragging, in quarters of an hour', async () => {
    await timetable.drag('room-1', '2026-12-01T09:00:00+01:00', '2026-12-01T10:30:00+01:00');
    await timetable.book('Grace');
    await timetable.booked('Grace').waitFor();
    expect(await slotsOf('room-1')).toEqual([['08:00', '09:30', { name: 'Grace' }]]);
    expect(await timetable.panel.isVisible()).toBe(false);
  });

  it('by the button, at times that are typed in', async () => {
    const { page } = timetable;
    await page.getByRole('button', { name: 'New booking' }).click();
    await page.getByLabel('Resource', { exact: true }).fill('room-1');
    expect(await page.locator('#new-resource').isVisible()).toBe(false);
    await page.getByLabel('Resource', { exact: true }).fill(' a new one ');
    expect(await page.locator('#new-resource').innerText()).toBe('A new resource');
    await timetable.enter('start', '2026-12-01 13:05');
    await timetable.enter('end', '2026-12-01 13:50');
    await page.getByText('45 min in Europe/Berlin').waitFor();
    await page.getByText('Advanced').click();
    await page.locator('#members').fill('{"note": "by the window", "__proto__x": [1, {"a": null}]}');
    await timetable.book('Edsger');
    await timetable.booked('Edsger').waitFor();
    const [booking] = await listed(service, 'resource_id=a%20new%20one');
    expect(booking).toMatchObject({ note: 'by the window', guest: { name: 'Edsger' }, __proto__x: [1, { a: null }] });
    expect(booking!.slot).toMatchObject({ start: '2026-12-01T12:05:00.000Z' });
  });

  it('by keyboard alone, over booked and free cells that a screen reader can name', async () => {
    const { page } = timetable;
    const focused = () => page.evaluate<string>('document.activeElement.ariaLabel');
    await page.locator('[role=gridcell][tabindex="0"]').focus();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('End');
    // From the last cell of the first row, over room-1, to that of room-2.
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('Free 11:00 to 24:00, 13 h');
    await page.keyboard.press('ArrowLeft');
    expect(await focused()).toBe('Ada, 10:00 to 11:00');
    await page.keyboard.press('Enter');
    expect(await timetable.panel.innerText()).toContain('guest · name\nAda');
    await page.keyboard.press('Escape');
    expect(await focused()).toBe('Ada, 10:00 to 11:00');
    await page.keyboard.press('ArrowRight');
    for (let step = 0; step < 3; step++) await page.keyboard.press('Shift+ArrowRight');
    expect(await page.locator('#said').innerText()).toBe('12:00 to 13:00');
    await page.keyboard.press('Enter');
    await page.getByLabel('Name').waitFor();
    await page.keyboard.type('Barbara');
    await page.keyboard.press('Enter');
    await timetable.booked('Barbara').waitFor();
    await timetable.panel.waitFor({ state: 'hidden' });
    expect(await focused()).toBe('Barbara, 12:00 to 13:00');
    expect(await slotsOf('room-2')).toContainEqual(['11:00', '12:00', { name: 'Barbara' }]);
  });

  it('by touch, on a phone', async () => {
    const options = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true };
    const phone = await Timetable.open(service, ADDRESS, options);
    const { x, y } = await phone.pointOf('room-3', '2026-12-01T12:10:00+01:00');
    await phone.page.touchscreen.tap(x, y);
    await phone.page.getByLabel('Name').waitFor();
    await phone.page.getByLabel('Name').fill('Alan');
    await phone.page.getByRole('button', { name: 'Book', exact: true }).tap();
    await phone.booked('Alan').waitFor();
    expect(await slotsOf('room-3')).toEqual([['11:00', '12:00', { name: 'Alan' }]]);
    expect(phone.complaints).toEqual([]);
    await phone.close();
  });

  it('twice is rejected: the conflicting slot is outlined, and nothing is booked', async () => {
    await timetable.drag('room-2', '2026-12-01T09:30:00+01:00', '2026-12-01T10:30:00+01:00');
    expect(await timetable.page.locator('#length').innerText()).toBe('⚠ Overlaps \u2068Ada\u2069, 10:00 to 11:00');
    await timetable.book('Mallory');
    await timetable.fault.waitFor();
    expect(await timetable.fault.innerText()).toBe(
      'Taken: \u2068room-2\u2069 is booked from 10:00 to 11:00. Nothing was booked.',
    );
    const [held, ada] = [
      await timetable.page.locator('.held').boundingBox(),
      await timetable.booked('Ada').boundingBox(),
    ];
    expect(Math.abs(held!.x - ada!.x)).toBeLessThan(1);
    expect(Math.abs(held!.width - ada!.width)).toBeLessThan(1);
    expect(JSON.stringify(await slotsOf('room-2'))).not.toContain('Mallory');
    await timetable.page.keyboard.press('Escape');
    expect(await timetable.page.locator('.held, .chosen').count()).toBe(0);
  });

  it('a slot that another client booked first is rejected, and shows that booking', async () => {
    await timetable.drag('room-4', '2026-12-01T15:00:00+01:00', '2026-12-01T16:00:00+01:00');
    await create(service, { slot: slotOf('room-4', '15:30', '17:00'), guest: { name: 'Quick' } });
    await timetable.book('Slow');
    await timetable.booked('Quick').waitFor();
    expect(await timetable.fault.innerText()).toContain('Taken: \u2068room-4\u2069 is booked from 15:30 to 17:00.');
    // The same form, at another time.
    await timetable.enter('start', '2026-12-01 17:00');
    await timetable.enter('end', '2026-12-01 18:00');
    await timetable.book();
    await timetable.booked('Slow').waitFor();
    expect(await slotsOf('room-4')).toEqual([
      ['14:30', '16:00', { name: 'Quick' }],
      ['16:00', '17:00', { name: 'Slow' }],
    ]);
  });

  it('creates one booking if responses are lost, however often it is sent', async () => {
    const { page } = timetable;
    const keys: (string | undefined)[] = [];
    let lost = 5;
    await page.route('**/v1/bookings', async (route) => {
      const request = route.request();
      if (request.method() !== 'POST') return route.fallback();
      keys.push(request.headers()['idempotency-key']);
      const response = await route.fetch();
      return lost-- > 0 ? route.abort('connectionreset') : route.fulfill({ response });
    });
    await timetable.drag('room-5', '2026-12-01T15:00:00+01:00', '2026-12-01T16:00:00+01:00');
    await timetable.book('Lost');
    await timetable.fault.waitFor();
    expect(await timetable.fault.innerText()).toContain('may have been booked');
    // Only what was sent may be sent again.
    expect(await page.getByLabel('Start time').isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Find out' }).click();
    await timetable.panel.waitFor({ state: 'hidden' });
    await page.unroute('**/v1/bookings');
    expect(keys.length).toBe(6);
    expect(new Set(keys).size).toBe(1);
    expect(await slotsOf('room-5')).toEqual([['14:00', '15:00', { name: 'Lost' }]]);
    expect(await timetable.booked('Lost').count()).toBe(1);
  });

  it('shows faults at their fields, before and after it is sent', async () => {
    const { page } = timetable;
    await timetable.drag('room-6', '2026-12-01T15:00:00+01:00', '2026-12-01T16:00:00+01:00');
    await page.locator('#start-time').fill('');
    await timetable.book();
    expect(await page.locator('#start-date-wrong').innerText()).toContain('Enter a date and a time');
    expect(await page.evaluate('document.activeElement.id')).toBe('start-date');
    await timetable.enter('start', '2026-12-01 16:30');
    await timetable.enter('end', '2026-12-01 16:00');
    await timetable.book();
    expect(await page.locator('#end-date-wrong').innerText()).toContain('after the start');
    await page.keyboard.press('Escape');
    expect(await slotsOf('room-6')).toEqual([]);
  });
});

describeInBrowser('Booking with a schema of the deployment', () => {
  const schema = new URL('../../../../examples/booking-schema/dinner.schema.json', import.meta.url).pathname;
  let service: ServiceProcess;
  let timetable: Timetable;
  beforeAll(async () => {
    timetable = await Timetable.blank();
  });
  afterEach(() => service.stop());
  afterAll(() => timetable.close());

  async function open(env: Record<string, string>): Promise<void> {
    service = await ServiceProcess.start(env);
    await timetable.goTo(`${service.url}/timetable${ADDRESS}`);
  }

  it('has rows for the resources that it names, before anyone has booked them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'timetable-schema-'));
    const file = join(folder, 'schema.json');
    const slot = { type: 'object', properties: { resource_id: { enum: ['table-1', 'table-2'] } } };
    writeFileSync(file, JSON.stringify({ type: 'object', properties: { slot, name: { type: 'string' } } }));
    await open({ BOOKING_SCHEMA_FILE: file });
    rmSync(folder, { recursive: true });
    await timetable.row('table-2').waitFor();
    await timetable.drag('table-2', '2026-12-01T10:00:00+01:00', '2026-12-01T11:00:00+01:00');
  });

  it('has inputs for its members, and shows a fault at its member', async () => {
    await open({ BOOKING_SCHEMA_FILE: schema, TIMETABLE_RESOURCES: 'table-4' });
    const { page } = timetable;
    const { x, y } = await timetable.pointOf('table-4', '2026-12-01T18:10:00+01:00');
    await page.mouse.click(x, y);
    const guest = page.getByLabel('guest · name', { exact: true });
    await guest.fill('Ada');
    expect(await page.getByText('Advanced').isVisible()).toBe(false);
    await timetable.book();
    expect(await page.locator('#field-seats-wrong').innerText()).toContain('required');
    expect(await page.getByLabel('guest · email').getAttribute('type')).toBe('email');
    await page.getByLabel('seats').fill('40');
    await page.getByLabel('guest · email').fill('no address');
    await page.getByLabel('occasion').selectOption('birthday');
    await timetable.book();
    await page.locator('#field-guest-email-wrong').waitFor();
    expect(await page.locator('#field-seats-wrong').innerText()).toContain('at most 12');
    await page.getByLabel('seats').fill('2');
    await page.getByLabel('guest · email').fill('');
    await timetable.book();
    await timetable.booked('Ada').waitFor();
    const [booking] = await listed(service);
    expect(booking).toMatchObject({ guest: { name: 'Ada' }, seats: 2, occasion: 'birthday' });
  });
});
