import { ServiceProcess } from 'testing';
import { ADDRESS, create, listed, slotOf, Timetable } from '../support/timetable.js';

const HOUR = 3_600_000;

/** A zone, a day in it, its first instant and its hours, and the first labels of the clock. */
const DAYS = [
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00Z', 25, '00 01 02 02 03'],
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00Z', 23, '00 01 03 04'],
  ['America/New_York', '2026-11-01', '2026-11-01T04:00:00Z', 25, '00 01 01 02'],
  ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00:00Z', 24.5, '00 01 02 03'],
  ['Asia/Kolkata', '2026-10-26', '2026-10-25T18:30:00Z', 24, '00 01 02 03'],
] as const;

describe('A day', () => {
  let service: ServiceProcess;
  let timetable: Timetable;
  beforeAll(async () => {
    service = await ServiceProcess.start({ TIMETABLE_RESOURCES: 'empty room,a/room-0,a/room-2,b/room-1,b/room-3' });
    timetable = await Timetable.blank({ viewport: { width: 2200, height: 1400 } });
  });
  afterAll(async () => {
    expect(timetable.complaints).toEqual([]);
    await timetable.close();
    await service.stop();
  });
  const open = (query: string) => timetable.goTo(`${service.url}/timetable${query}`);
  const names = () => timetable.page.locator('.row .name bdi').allTextContents();

  it('is grouped by prefix, and can be searched; the address and the history have it', async () => {
    await open(ADDRESS);
    const { page } = timetable;
    const search = page.getByLabel('Search');
    expect(await names()).toEqual(['empty room', 'a', 'room-0', 'room-2', 'b', 'room-1', 'room-3']);
    expect(await page.getByRole('rowheader', { name: 'b/room-3' }).count()).toBe(1);
    await search.fill('B/ 3');
    await page.getByLabel('Free for').selectOption('480');
    expect(await names()).toEqual(['b', 'room-3']);
    expect(await page.locator('.wanted').innerText()).toBe('1 d');
    await page.locator('#zone').focus();
    await page.locator('#zone').selectOption('Asia/Tokyo');
    await page.getByRole('button', { name: 'Week' }).click();
    const { search: query } = new URL(page.url());
    expect(query).toBe('?date=2026-12-01&span=week&zone=Asia/Tokyo&filter=B/+3&free=480');
    const other = await Timetable.open(service, query);
    expect(await other.page.locator('h1').innerText()).toBe(await page.locator('h1').innerText());
    expect(await other.page.getByLabel('Free for').inputValue()).toBe('480');
    await other.close();
    await page.goBack();
    expect(await page.locator('#day').getAttribute('aria-pressed')).toBe('true');
    await page.goBack();
    expect(await page.locator('#corner').innerText()).toBe('Europe/Berlin');
    expect(await search.inputValue()).toBe('B/ 3');
  });

  it('shows what is free at a time first, and a click there books as long as was wanted', async () => {
    await create(service, { slot: slotOf('a/room-0', '10:00', '11:00'), guest: { name: 'Ada' } });
    await open(`${ADDRESS}&free=90&at=10:15`);
    await timetable.row('a/room-0').locator('.booked').waitFor();
    expect(await names()).toEqual(['a/room-2', 'b/room-1', 'b/room-3', 'empty room', 'a/room-0']);
    expect(await timetable.row('a/room-0').getAttribute('class')).toContain('taken');
    await timetable.row('b/room-1').locator('.wanted').click();
    expect(await timetable.panel.locator('h2').innerText()).toBe('Tue 1 Dec, 10:15 to 11:45');
    await timetable.page.keyboard.press('Escape');
  });

  it('is today for an invalid address, which cannot name a service', async () => {
    const { page } = timetable;
    timetable.requests.length = 0;
    await open('?date=2026-02-30&span=year&zone=Mars/Base&free=-1&api=https://elsewhere.example');
    expect(timetable.requests.filter((url) => !url.startsWith(service.url))).toEqual([]);
    expect(await page.getByLabel('Date').inputValue()).toBe('2026-11-30');
    expect(await page.locator('#now').isVisible()).toBe(true);
    expect(await page.locator('#corner').innerText()).toBe('Europe/Berlin');
  });

  it('is text, whatever bookings contain', async () => {
    const { page } = timetable;
    const markup = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    const hostile = [markup, '\u202Eevil\u2066 txt', '👩‍👩‍👧‍👦'.repeat(18), `${'x/'.repeat(99)}y`, `__proto__`, '/', 'a//b'];
    for (const [index, resource] of hostile.entries()) {
      const slot = slotOf(resource, '10:00', '11:00');
      await create(service, { slot, name: `${markup} ${index}`, [markup]: { deep: [null, [], {}, 1.5, markup] } });
    }
    const deep = JSON.parse(`${'{"a":'.repeat(28)}"end"${'}'.repeat(28)}`) as object;
    await create(service, {
      slot: slotOf('big', '10:00', '11:00'),
      deep,
      text: 'ü'.repeat(30_000),
      list: Array(900).fill(0),
    });
    const [noon, next] = ['2026-12-01T12:00:00+01:00', '2026-12-02T12:00:00+01:00'];
    await create(service, { slot: { resource_id: 'past midnight', start: noon, end: next } });
    await create(service, { name: 'has no slot' });
    await open(ADDRESS);
    for (const resource of hostile) expect(await timetable.row(resource).count()).toBe(1);
    for (const resource of [markup, 'big', 'past midnight']) {
      await timetable.row(resource).locator('.booked').click();
      expect(await page.locator('dd').first().innerText()).toBe(resource);
    }
    expect(await page.title()).toContain('Timetable');
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.evaluate(`document.documentElement.scrollWidth`)).toBe(2200);
  });

  const startOf = async (name: string) => {
    const found = (await listed(service, 'empty room')).find(([, guest]) => guest === name);
    return found?.[0];
  };

  it.each(DAYS)(
    '%s, %s: drawn and booked to the instant, by drag, by keys and by typing',
    async (zone, date, day, hours, first) => {
      await open(`?date=${date}&zone=${zone}&filter=empty`);
      const { page } = timetable;
      const labels = await page.locator('.hour').allInnerTexts();
      expect(labels.join(' ').startsWith(first)).toBe(true);
      const at = (hour: number) => new Date(Date.parse(day) + hour * HOUR).toISOString();
      const name = (how: string) => `${how} ${zone} ${date}`;
      // Hours that have elapsed since the start of the day: past the change.
      await timetable.drag('empty room', at(5), at(6.25), [day, hours]);
      await timetable.book(name('drag'));
      await timetable.booked(name('drag')).waitFor();
      expect(await startOf(name('drag'))).toBe(at(5));
      const [lines, drawn] = [
        (await page.locator('#lines').boundingBox())!,
        (await timetable.booked(name('drag')).boundingBox())!,
      ];
      expect(Math.abs(drawn.x - lines.x - (5 / hours) * lines.width)).toBeLessThan(1.5);
      expect(Math.abs(drawn.width - (1.25 / hours) * lines.width)).toBeLessThan(1.5);
      await page.locator('.cell[tabindex="0"]').focus();
      await page.keyboard.press('End');
      await page.keyboard.press('Enter');
      await timetable.book(name('keys'));
      await timetable.booked(name('keys')).waitFor();
      // The last half hour of the day.
      expect(await startOf(name('keys'))).toBe(at(hours - 0.5));
      await page.locator('#new').click();
      await timetable.enter('start', `${date} 20:15`);
      await timetable.book(name('typed'));
      await timetable.booked(name('typed')).waitFor();
      // 20:15 is 3 hours and 45 minutes before the end of each of these days.
      expect(await startOf(name('typed'))).toBe(at(hours - 3.75));
    },
  );

  it('a time that the clock skips, or shows twice, is asked for', async () => {
    const { page } = timetable;
    await open('?date=2026-04-05&zone=Australia/Lord_Howe&filter=empty');
    await page.locator('#new').click();
    await timetable.enter('start', '2026-10-04 02:15');
    expect(await page.locator('h2').first().innerText()).toBe('New booking');
    await timetable.book('skipped');
    expect(await page.locator('#length').innerText()).toBe('The clock skips this time: choose another one.');
    await timetable.enter('start', '2026-04-05 01:45');
    await timetable.book('twice');
    expect(await page.locator('#length').innerText()).toBe('This time occurs twice: choose which one.');
    await page.getByLabel('Start, first or second').selectOption('+10:30');
    await timetable.book();
    await timetable.booked('twice').waitFor();
    expect(await startOf('twice')).toBe('2026-04-04T15:15:00.000Z');
  });
});
