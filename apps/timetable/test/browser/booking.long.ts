import { BookingsClient } from '@booking-service/client';
import type { Route } from 'playwright-core';
import { ServiceProcess } from 'testing';
import { client, desk, INTERFACE, listed, slotOf } from '../support/timetable.js';

const { page, panel, fault } = desk;
const length = page.getByRole('status').and(page.locator('#length'));
const start = page.getByLabel('Start', { exact: true });
const FULL_DAY = '2026-12-03';
const HOUR = 3_600_000;

/** Days: each a zone, a date, its first instant, its number of hours, and the first labels of the clock. */
const DAYS = [
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00Z', 25, '00 01 02 02 03'],
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00Z', 23, '00 01 03 04'],
  ['America/New_York', '2026-11-01', '2026-11-01T04:00:00Z', 25, '00 01 01 02'],
  ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00:00Z', 24.5, '00 01 02 03'],
  ['Asia/Kolkata', '2026-10-28', '2026-10-27T18:30:00Z', 24, '00 01 02 03'],
] as const;

describe('Booking', () => {
  beforeEach(() => desk.goTo());

  it('books the instant that it shows, even if the page changes its zone', async () => {
    await desk.drag('room-1', 18, 19);
    await page.locator('#zone').focus();
    await page.locator('#zone').selectOption('Asia/Tokyo');
    expect(await length.innerText()).toContain('Europe/Berlin');
    await desk.enter({ end: '2026-12-01T20:30' });
    await length.filter({ hasText: 'Not read: may be taken' }).waitFor();
    await desk.enter({ end: '2026-12-01T19:00' });
    await desk.book('Grace');
    await panel.waitFor({ state: 'hidden' });
    expect(await listed('room-1')).toEqual([['17:00', 'Grace']]);
  });

  it('a late response leaves the next form open, with what was entered', async () => {
    await desk.drag('room-2', 13, 14);
    const release = await desk.hold();
    await desk.book('First');
    // The focus stays in the form, so that Escape still closes it.
    await page.locator('#book:focus', { hasText: 'Booking…' }).waitFor();
    await page.locator('#cancel').click();
    await desk.drag('room-3', 11, 12);
    await desk.enter({ name: 'Second' });
    await client.create({ slot: slotOf('room-2', '13:30', '14:30') });
    release();
    await desk.says('toast', 'Taken: \u2068room-2\u2069 is booked Tue 1 Dec, 13:30 to 14:30.');
    expect(await page.getByLabel('Name').inputValue()).toBe('Second');
    await desk.book();
    await desk.says('toast', 'Booked \u2068room-3\u2069, Tue 1 Dec, 11:00 to 12:00, for \u2068Second\u2069.');
    expect(await listed('room-3')).toContainEqual(['10:00', 'Second']);
  });

  it('is offered where there is room first, and asks for a resource if all are full', async () => {
    await client.create({ slot: slotOf('room-1', '09:00', '12:00', '2026-12-05'), guest: { name: 'Early' } });
    await desk.goTo('?date=2026-12-05&zone=Europe/Berlin&filter=room-');
    await desk.press('n');
    expect(await page.locator('#resource').inputValue()).toBe('room-2');
    expect(await panel.locator('h2').innerText()).toBe('Sat 5 Dec, 09:00 to 10:00');
    await client.create({ slot: slotOf('room-1', '00:00', '23:45', FULL_DAY), guest: { name: 'Fair' } });
    await desk.goTo(`?date=${FULL_DAY}&zone=Europe/Berlin&filter=room-`);
    await desk.press('n');
    expect(await page.locator('#resource').inputValue()).toBe('room-2');
    expect(await panel.locator('h2').innerText()).toBe('Thu 3 Dec, 09:00 to 10:00');
    await desk.goTo(`?date=${FULL_DAY}&zone=Europe/Berlin&filter=room-1`);
    await desk.press('n');
    expect(await page.locator('#resource:focus').inputValue()).toBe('');
    expect(await length.innerText()).toBe('1 h in Europe/Berlin');
  });

  it('says that a time is past', async () => {
    await desk.goTo('?date=2026-11-29&zone=Europe/Berlin');
    expect(await desk.row('hall').locator('.free').getAttribute('aria-label')).toMatch(/, in the past$/);
    await page.locator('#new').click();
    const texts = [await length.innerText(), await page.locator('#book').innerText()];
    expect(texts).toEqual(['1 h in Europe/Berlin, in the past', 'Book in the past']);
  });
});

describe('A day', () => {
  let service: ServiceProcess;
  let client: BookingsClient;
  beforeAll(async () => {
    service = await ServiceProcess.start({ TIMETABLE_RESOURCES: 'empty room,a/room-0,a/room-2,b/room-1,b/room-3' });
    client = new BookingsClient({ baseUrl: service.url });
  });
  afterAll(() => service.stop());
  const open = (query: string) => desk.goTo(query, service);

  const startsIn = async (from: string, to: string) =>
    (await client.list({ resource_id: 'empty room', from, to })).bookings.map(({ slot }) => slot!.start);

  it.each(DAYS)('in %s on %s is drawn and booked to the instant', async (zone, date, start, hours, first) => {
    await open(`?date=${date}&zone=${zone}&filter=empty`);
    expect((await page.locator('.hour').allInnerTexts()).join(' ').slice(0, first.length)).toBe(first);
    const book = async (how: string) => {
      await desk.book(how);
      await panel.waitFor({ state: 'hidden' });
    };
    await desk.drag('empty room', 5, 6.25, hours);
    await book('by a drag');
    const lines = (await page.locator('#lines').boundingBox())!;
    const drawn = (await desk.booked('by a drag').boundingBox())!;
    expect(Math.abs(drawn.x - lines.x - (5 / hours) * lines.width)).toBeLessThan(1.5);
    expect(Math.abs(drawn.width - (1.25 / hours) * lines.width)).toBeLessThan(1.5);
    await page.locator('.cell[tabindex="0"]').focus();
    await desk.press('End', 'Enter');
    await book('by keys');
    await page.locator('#new').click();
    await desk.enter({ start: `${date}T20:15` });
    await book('by typing');
    /** The instant some hours after the start of the day, past the change of the clock. */
    const at = (hour: number) => new Date(Date.parse(start) + hour * HOUR).toISOString();
    // 20:15 is 3 hours and 45 minutes before the end of each of these days; keys book its last half hour.
    expect(await startsIn(at(0), at(hours))).toEqual([at(5), at(hours - 3.75), at(hours - 0.5)]);
  });

  it('a time that the clock skips, or shows twice, is asked for', async () => {
    await open('?date=2026-10-04&zone=Australia/Lord_Howe&filter=empty');
    await page.locator('#new').click();
    await desk.enter({ start: '2026-10-04T02:15' });
    expect(await page.locator('h2').first().innerText()).toBe('New booking');
    await desk.book('skipped');
    expect(await desk.fault.innerText()).toBe('The clock skips this time: choose another one.');
    await desk.enter({ start: '2027-04-04T01:45' });
    await desk.book('twice');
    expect(await desk.fault.innerText()).toBe('This time occurs twice: choose which one.');
    await desk.isAccessible('a form with a fault of its times');
    await page.getByLabel('Start, first or second').selectOption('the second');
    await desk.book();
    await panel.waitFor({ state: 'hidden' });
    expect(await startsIn('2027-04-03T00:00:00Z', '2027-04-05T00:00:00Z')).toEqual(['2027-04-03T15:15:00.000Z']);
  });
});

describe('The form', () => {
  beforeAll(async () => {
    await client.create({ slot: slotOf('room-2', '10:00', '11:00'), guest: { name: 'Ada' } });
    await client.create({ slot: slotOf('hall', '10:00', '12:00') });
  });
  beforeEach(() => desk.goTo());

  it('says what is wrong once, below, here and in the words of the service', async () => {
    await desk.drag('room-6', 15, 16);
    await page.getByText('More, as JSON').click();
    const right = { resource: 'room-6', end: '2026-12-01T16:00', name: 'Ada', members: '' };
    for (const [id, value, text] of [
      ['end', '', 'Enter a date and a time.'],
      ['end', '2026-12-01T14:30', 'The end must be after the start.'],
      ['resource', '', 'Enter what is to be booked.'],
      ['members', '[1]', 'This is not a JSON object.'],
      ['members', '{"slot": {}}', 'The slot is entered above, not here.'],
      ['members', '{"guest": {"name": "Grace"}}', 'The name is entered above, not here.'],
      ['members', '{"guest": [1]}', 'The name cannot be added to a guest that is not an object.'],
    ] as const) {
      await desk.enter({ ...right, [id]: value });
      await desk.book();
      expect(await page.locator(':user-invalid:focus').getAttribute('id')).toBe(id);
      expect(await fault.innerText()).toBe(text);
    }
    await desk.enter({ ...right, members: '{"booking_id": 1}' });
    await desk.book();
    await fault.filter({ hasText: /The service rejected this: .*#\/booking_id/ }).waitFor();
    await page.route(INTERFACE, (route) => route.fulfill({ status: 429, headers: { 'Retry-After': '60' } }));
    await desk.book('Soon');
    const limited = /limits requests\. Nothing was booked\. Try again at \d\d:\d\d:\d\d\./;
    await fault.filter({ hasText: limited }).waitFor();
    expect(await listed('room-6')).toEqual([]);
  });

  it('a service that fails is not called silent, and may have booked; a proxy that denies is another server', async () => {
    await desk.drag('room-6', 12, 13);
    await page.route(INTERFACE, (route) => route.fulfill({ status: 401, contentType: 'text/html' }));
    await desk.book('Perhaps');
    await fault.filter({ hasText: /^Another server has denied this \(401\)\. Nothing was booked\.$/ }).waitFor();
    await page.unrouteAll();
    let closes = false;
    const failing = async (route: Route) => {
      if (closes && route.request().method() === 'POST') await page.locator('#cancel').click();
      await route.fulfill({ status: 500 });
    };
    await page.route(INTERFACE, failing);
    await desk.book('Perhaps');
    await fault.filter({ hasText: /^The service failed \(500\)\. This may have been booked\. “Send again”/ }).waitFor();
    // Neither says anything about the first attempt.
    for (const [status, name] of [
      [429, 'rate-limited'],
      [403, 'forbidden'],
    ] as const) {
      await page.unrouteAll();
      const problem = { type: `urn:problem-type:bookings:${name}`, title: 'No', status, detail: `No, ${name}.` };
      const contentType = 'application/problem+json';
      const response = { status, contentType, body: JSON.stringify(problem) };
      await page.route(INTERFACE, (route) =>
        route.request().method() === 'POST' ? route.fulfill(response) : route.continue(),
      );
      await page.getByRole('button', { name: 'Send again' }).click();
      await fault
        .filter({ hasText: /(limits requests|No, forbidden)\. This may have been booked\. “Send again”/ })
        .waitFor();
      expect(await start.isDisabled()).toBe(true);
    }
    await page.unrouteAll();
    await page.route(INTERFACE, failing);
    await page.locator('#cancel').click();
    // A form that is closed has no such button.
    closes = true;
    await desk.drag('room-6', 14, 15);
    await desk.book('Perhaps');
    await desk.says('toast', /This may have been booked\.$/);
  });

  it('does not call its own booking a conflict, after a lost response', async () => {
    await page.route(INTERFACE, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await route.fetch();
      return route.abort('connectionreset');
    });
    await desk.drag('room-9', 16, 17);
    await desk.book('Own');
    await fault.filter({ hasText: 'This may have been booked.' }).waitFor();
    await desk.pass();
    await desk.booked('Own').waitFor();
    expect(await length.innerText()).toBe('1 h in Europe/Berlin');
  });

  it('an open form stays when a click shows whose a booking is, and moves to free time', async () => {
    await desk.drag('room-7', 9, 10);
    await desk.enter({ name: 'Grace' });
    await desk.booked('Ada').click();
    await desk.says('toast', 'Ada\u2069, Tue 1 Dec, 10:00 to 11:00. Finish or cancel the open form');
    await desk.choose('room-3', 14.2);
    expect(await start.inputValue()).toBe('2026-12-01T14:00');
    expect(await page.getByLabel('Name').inputValue()).toBe('Grace');
  });

  it('a drag shows its times and its conflicts, and Escape ends it', async () => {
    await desk.stretch('hall', 8, 10.5);
    expect(await page.locator('#chosen.taken').getAttribute('data-note')).toBe('08:00 to 10:30');
    await desk.press('Escape');
    await page.mouse.up();
    expect(await panel.isVisible()).toBe(false);
    expect(await page.locator('#marks > :visible').count()).toBe(0);
  });
});
