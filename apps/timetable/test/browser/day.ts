import { BookingsClient } from '@booking-service/client';
import { ServiceProcess } from 'testing';
import { ADDRESS, desk, launch, slotOf, Timetable } from '../support/timetable.js';

const { page, panel } = desk;
const HOUR = 3_600_000;

/** Days: each a zone, a date, its first instant, its number of hours, and the first labels of the clock. */
const DAYS = [
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00Z', 25, '00 01 02 02 03'],
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00Z', 23, '00 01 03 04'],
  ['America/New_York', '2026-11-01', '2026-11-01T04:00:00Z', 25, '00 01 01 02'],
  ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00:00Z', 24.5, '00 01 02 03'],
  ['Asia/Kolkata', '2026-10-28', '2026-10-27T18:30:00Z', 24, '00 01 02 03'],
] as const;

describe('A day', () => {
  let service: ServiceProcess;
  let client: BookingsClient;
  beforeAll(async () => {
    service = await ServiceProcess.start({ TIMETABLE_RESOURCES: 'empty room,a/room-0,a/room-2,b/room-1,b/room-3' });
    client = new BookingsClient({ baseUrl: service.url });
  });
  afterAll(() => service.stop());
  const open = (query: string) => desk.goTo(query, service);
  const names = () => desk.isDrawn().then(() => page.locator('.row .name bdi').allTextContents());

  it('is grouped by prefix and can be searched, as the address and the history say', async () => {
    await open(ADDRESS);
    const search = page.getByLabel('Search');
    expect(await names()).toEqual(['empty room', 'a', 'room-0', 'room-2', 'b', 'room-1', 'room-3']);
    expect(await page.getByRole('rowheader', { name: 'b/room-3' }).count()).toBe(1);
    await search.fill('B/ 3');
    await page.getByLabel('Free for').selectOption('480');
    expect(await names()).toEqual(['b', 'room-3']);
    expect(await page.locator('.wanted').innerText()).toBe('Free 00:00 to 24:00');
    await page.locator('#zone').focus();
    await page.locator('#zone').selectOption('Asia/Tokyo');
    await page.getByRole('button', { name: 'Week' }).click();
    expect(new URL(page.url()).search).toBe('?date=2026-12-01&span=week&zone=Asia/Tokyo&filter=B/+3&free=480');
    const title = await page.locator('h1').innerText();
    await page.reload();
    expect(await page.locator('h1').innerText()).toBe(title);
    expect(await page.getByLabel('Free for').inputValue()).toBe('480');
    await page.goBack();
    expect(await page.locator('#day').getAttribute('aria-pressed')).toBe('true');
    await page.goBack();
    expect([await page.locator('#zone').inputValue(), await search.inputValue()]).toEqual(['Europe/Berlin', 'B/ 3']);
  });

  it('shows the free resources at a time, and a click there books for as long as was searched for', async () => {
    await client.create({ slot: slotOf('a/room-0', '10:00', '11:00'), guest: { name: 'Ada' } });
    await open(`${ADDRESS}&free=90&at=10:15`);
    expect(await names()).toEqual(['empty room', 'a', 'room-2', 'b', 'room-1', 'room-3']);
    await desk.isAccessible('resources that are free at a time');
    await desk.press('n');
    expect(await page.locator('#resource').inputValue()).toBe('empty room');
    await desk.row('b/room-1').locator('.wanted').click();
    expect(await panel.locator('h2').innerText()).toBe('Tue 1 Dec, 10:15 to 11:45');
    await open('?date=2026-11-30&zone=Europe/Berlin&free=15&at=09:45');
    await page.getByText('No resource here is free then.').waitFor();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    expect(await names()).toContain('empty room');
  });

  it('is today if the address is invalid, and never comes from another service', async () => {
    desk.requests.length = 0;
    await open('?date=2026-02-30&span=year&zone=Mars/Base&free=-1&api=https://elsewhere.example');
    expect(desk.requests.filter((url) => !url.startsWith(service.url))).toEqual([]);
    expect(await page.getByLabel('Date').inputValue()).toBe('2026-11-30');
    expect(await page.locator('#now').isVisible()).toBe(true);
    expect(await page.locator('#zone').inputValue()).toBe('Europe/Berlin');
    await desk.isAccessible('today, without bookings');
  });

  it('is shown in UTC if the browser knows neither its language nor its zone', async () => {
    const browser = await launch({ LANG: 'C', LC_ALL: 'C', TZ: '' });
    const odd = await Timetable.openIn(browser, {});
    expect(await odd.page.evaluate('new Intl.DateTimeFormat().resolvedOptions().timeZone')).toBe('Etc/Unknown');
    // Chromium itself reports this language if it has a window and `LANG` is C.
    await odd.page.addInitScript(`Object.defineProperty(navigator, 'language', { value: 'en-US@posix' })`);
    await odd.goTo('', service);
    expect(await odd.page.locator('#zone').inputValue()).toBe('UTC');
    expect(await odd.page.locator('h1').innerText()).toBe('Mon, Nov 30, 2026');
    await browser.close();
  });

  it('shows as text whatever bookings contain', async () => {
    const markup = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    const hostile = [markup, '\u202Eevil\u2066 txt', '👩‍👩‍👧‍👦'.repeat(18), `${'x/'.repeat(99)}y`, `__proto__`, '/', 'a//b'];
    for (const [index, resource] of hostile.entries()) {
      const slot = slotOf(resource, '10:00', '11:00');
      await client.create({ slot, name: `${markup} ${index}`, [markup]: { deep: [null, [], {}, 1.5, markup] } });
    }
    const big = { text: 'ü'.repeat(30_000), list: Array(900).fill(0) };
    await client.create({ slot: slotOf('big', '10:00', '11:00'), ...big });
    const noon = '2026-12-01T12:00:00+01:00';
    const next = '2026-12-02T12:00:00+01:00';
    await client.create({ slot: { resource_id: 'past midnight', start: noon, end: next }, name: 'عربي' });
    await client.create({ name: 'has no slot' });
    await open(ADDRESS);
    for (const resource of hostile) await desk.row(resource).waitFor();
    for (const resource of [markup, 'big', 'past midnight']) {
      await desk.row(resource).locator('.booked').click();
      expect(await page.locator('dd').first().innerText()).toBe(resource);
    }
    expect(await desk.booked('عربي').evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
    expect(await page.title()).toContain('Timetable');
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.evaluate(`document.documentElement.scrollWidth`)).toBe(2100);
  });

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
