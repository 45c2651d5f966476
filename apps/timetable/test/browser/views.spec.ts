import { BookingsClient } from '@booking-service/client';
import { ServiceProcess } from 'testing';
import { ADDRESS, client, desk, slotOf } from '../support/timetable.js';

const { page, panel } = desk;
const TUESDAY = '2026-12-15';
const WEEK = `?date=${TUESDAY}&span=week&zone=Europe/Berlin&filter=lab/`;

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
    const { search: query, hash } = await desk.address();
    expect(query).toBe('?date=2026-12-01&span=week&zone=Asia/Tokyo&free=480');
    // Servers log what they are sent, and a search may name a person.
    expect(hash).toBe('#?filter=B%2F+3');
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
    await page.getByText('Nothing in this day matches this search.').waitFor();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    expect(await names()).toContain('empty room');
    expect(await page.locator('#filter:focus').count()).toBe(1);
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
    // A browser's translation would turn names into other names.
    const isTranslated = (own: HTMLElement) => own.translate;
    expect(await desk.booked('عربي').evaluate(isTranslated)).toBe(false);
    expect(await page.locator('dd').first().evaluate(isTranslated)).toBe(false);
    await desk.press('Escape', 'a');
    expect(await page.locator('.item').first().evaluate(isTranslated)).toBe(false);
    expect(await page.locator('#new').evaluate(isTranslated)).toBe(true);
  });
});

describe('A week', () => {
  beforeAll(async () => {
    await client.create({ slot: slotOf('lab/a', '08:00', '16:00', TUESDAY), guest: { name: 'Ada' } });
    await client.create({ slot: slotOf('lab/a', '18:00', '19:30', TUESDAY), guest: { name: 'Zoë' } });
  });
  const totals = desk.row('lab/a').locator('.total');

  it('has a cell for each resource and day, with who has booked, a count and a bar, which leads to the day', async () => {
    await desk.goTo(WEEK);
    expect(await page.locator('h1').innerText()).toBe('14 – 20 Dec · W51');
    const days = ['Mon 14 Dec', 'Tue 15 Dec', 'Wed 16 Dec', 'Thu 17 Dec', 'Fri 18 Dec', 'Sat 19 Dec', 'Sun 20 Dec'];
    expect(await page.locator('.day').allInnerTexts()).toEqual(days);
    const texts = await totals.allInnerTexts();
    expect(texts.map((text) => text.trim())).toEqual([
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
    const outlineOf = (own: Element) => getComputedStyle(own).outlineWidth;
    expect(await page.locator('.total.found').evaluate(outlineOf)).toBe('3px');
    expect(await page.locator('#found').innerText()).toBe('Found: 1 booking, 1 resource');
    expect(await page.locator('.total.found').innerText()).toMatch(/^18:00 \u2068Zoë\u2069\n08:00 \u2068Ada\u2069/);
    await page.locator('.total.found').click();
    await desk.booked('Zoë').waitFor();
    expect((await desk.address()).searchParams.get('date')).toBe(TUESDAY);
    await page.goBack();
    await page.locator('.day', { hasText: 'Thu 17 Dec' }).click();
    await desk.isRead();
    expect(await page.locator('h1').innerText()).toBe('Thu 17 Dec');
  });
});

it('Back closes the panel, closing goes back, and neither leaves what the address does not say', async () => {
  const { booking_id: id } = await client.create({ slot: slotOf('hall', '10:00', '12:00'), title: 'Zoë' });
  await desk.goTo();
  await page.getByRole('button', { name: 'Later' }).click();
  await page.getByRole('button', { name: 'Earlier' }).click();
  await desk.booked('Zoë').click();
  await panel.waitFor();
  await page.goBack();
  await panel.waitFor({ state: 'hidden' });
  expect(await page.locator('h1').innerText()).toBe('Tue 1 Dec');
  await desk.press('n');
  await desk.enter({ name: 'Ada' });
  await page.goBack();
  await panel.waitFor({ state: 'hidden' });
  await desk.press('n');
  // What was typed is not lost, unless it is cancelled.
  expect(await page.locator('#name').inputValue()).toBe('Ada');
  await page.locator('#cancel').click();
  await panel.waitFor({ state: 'hidden' });
  await desk.press('n');
  expect(await page.locator('#name').inputValue()).toBe('');
  await desk.press('Escape');
  await panel.waitFor({ state: 'hidden' });
  await desk.booked('Zoë').click();
  await panel.waitFor();
  await page.getByLabel('Search').fill('choir');
  expect((await desk.address()).hash).toBe(`#${id}?filter=choir`);
  await page.locator('#close').click();
  await page.waitForURL(/#\?filter=choir$/);
  expect(await page.getByLabel('Search').inputValue()).toBe('choir');
  await page.goBack();
  expect(await page.locator('h1').innerText()).toBe('Wed 2 Dec');
});
