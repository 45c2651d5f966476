import { until } from 'testing';
import { ADDRESS, client, desk, service, slotOf } from '../support/timetable.js';

const { page, panel } = desk;
const TUESDAY = '2026-12-15';
const WEEK = `?date=${TUESDAY}&span=week&zone=Europe/Berlin&filter=lab/`;
const FRIDAY = '2026-12-18';

it('a week shows seven bookings of a day, those found first, says how many more, and keeps its bars in forced colours', async () => {
  for (let hour = 10; hour < 20; hour++) {
    const slot = slotOf('lab/b', `${hour}:00`, `${hour}:30`, FRIDAY);
    await client.create({ slot, name: `${hour < 18 ? 'early' : 'late'} guest` });
  }
  await desk.goTo(`?date=${FRIDAY}&span=week&zone=Europe/Berlin&filter=lab/`);
  const cell = desk.row('lab/b').locator('.total').nth(4);
  const names = cell.locator('span');
  const isWhole = () => names.evaluate(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight);
  const lines = async () => [(await names.innerText()).match(/guest/g)!.length, await isWhole()];
  expect(await lines()).toEqual([7, true]);
  expect(await cell.getAttribute('data-note')).toBe('+3');
  expect((await cell.getAttribute('aria-label'))!.match(/guest/g)).toHaveLength(7);
  await desk.isAccessible('a week with more bookings in a day than lines');
  await page.getByLabel('Search').fill('lab/ late');
  expect((await names.locator('b').innerText()).match(/^1[89]:00 .*late/gm)).toHaveLength(2);
  expect(await lines()).toEqual([7, true]);
  await page.emulateMedia({ forcedColors: 'active' });
  expect(await cell.evaluate((own) => getComputedStyle(own).backgroundImage)).toContain('rgb(0, 0, 0) 41');
  await desk.isAccessible('a week in forced colours');
  await page.emulateMedia({ forcedColors: 'none' });
});

it('works below a prefix that a proxy strips', async () => {
  const prefix = `${service.url}/some/prefix`;
  await page.route(`${prefix}/**`, async (route) => {
    const response = await route.fetch({ url: route.request().url().replace(prefix, service.url) });
    await route.fulfill({ response });
  });
  desk.requests.length = 0;
  await desk.goTo(ADDRESS, { url: prefix });
  await desk.drag('room-8', 8, 9);
  await desk.book('Below');
  await desk.booked('Below').waitFor();
  expect(desk.requests.filter((url) => !url.startsWith(`${prefix}/`))).toEqual([]);
});

it('gains no elements or listeners, however long it is used', async () => {
  await desk.goTo();
  const session = await page.context().newCDPSession(page);
  const use = async () => {
    for (const id of ['forth', 'back', 'new', 'close']) await page.locator(`#${id}`).click();
    await desk.isRead();
    await session.send('HeapProfiler.collectGarbage');
    const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
    return nodes + jsEventListeners;
  };
  await use();
  // The first poll adds a listener, which stays.
  await desk.pass();
  await use();
  const before = await use();
  await until(async () => (await use()) <= before);
});

it('a day and a week keep their second lines with the spacing of WCAG 1.4.12', async () => {
  const date = '2026-12-21';
  for (const [hour, name] of ['7', '8', '9'].entries())
    await client.create({ slot: slotOf('lab/a', `1${hour}:00`, `1${hour}:30`, date), name });
  await client.create({ slot: slotOf('lab/b', '10:00', '12:00', date), name: 'Ada' });
  const open = async (span: string) => {
    await desk.goTo(`?date=${date}&span=${span}&zone=Europe/Berlin&filter=lab/`);
    await page.evaluate(`
      const sheet = new CSSStyleSheet();
      sheet.replaceSync('* { line-height: 1.5 !important; letter-spacing: 0.12em !important }');
      document.adoptedStyleSheets = [sheet];`);
  };
  await page.setViewportSize({ width: 2100, height: 300 });
  const linesIn = (own: Element) => own.clientHeight / Number.parseFloat(getComputedStyle(own).lineHeight);
  await open('day');
  expect(await desk.booked('Ada').evaluate(linesIn)).toBeGreaterThan(1.9);
  await open('week');
  expect(await desk.row('lab/a').locator('.total span').evaluate(linesIn)).toBeGreaterThan(2.9);
  await page.setViewportSize({ width: 2100, height: 800 });
});

it('is today if the address is invalid, and never comes from another service', async () => {
  desk.requests.length = 0;
  await desk.goTo('?date=2026-02-30&span=year&zone=Mars/Base&free=-1&as=x&api=https://elsewhere.example');
  expect(desk.requests.filter((url) => !url.startsWith(service.url))).toEqual([]);
  expect(await page.getByLabel('Date').inputValue()).toBe('2026-11-30');
  expect(await page.locator('#now').isVisible()).toBe(true);
  expect(await page.locator('#zone').inputValue()).toBe('Europe/Berlin');
  await desk.isAccessible('today, without bookings');
  await page.setViewportSize({ width: 390, height: 800 });
  await page.locator('#agenda').waitFor();
  await page.setViewportSize({ width: 2100, height: 800 });
});

it('a week says on which days a resource is free, by day or at a time, and leads there', async () => {
  await client.create({ slot: slotOf('lab/a', '08:00', '16:00', TUESDAY), guest: { name: 'Ada' } });
  await client.create({ slot: slotOf('lab/a', '18:00', '19:30', TUESDAY), guest: { name: 'Zoë' } });
  const totals = desk.row('lab/a').locator('.total');
  await desk.goTo(`${WEEK}&free=480`);
  expect(await desk.row('lab/a').locator('.wanted').count()).toBe(6);
  await desk.goTo(`${WEEK}&free=60&at=09:30`);
  expect(await desk.row('lab/a').locator('.wanted').count()).toBe(6);
  expect(await totals.nth(1).getAttribute('aria-label')).not.toContain('free');
  await desk.row('lab/b').locator('.wanted').nth(1).click();
  expect(await desk.press('Enter')).toBe('');
  expect(await panel.locator('h2').innerText()).toBe('Tue 15 Dec, 09:30 to 10:30');
  await desk.book('Grace');
  await desk.booked('Grace').waitFor();
});

describe('An agenda', () => {
  beforeAll(() => page.setViewportSize({ width: 1280, height: 400 }));
  afterAll(() => page.setViewportSize({ width: 2100, height: 800 }));

  it('stays where somebody has scrolled it while reads fail', async () => {
    for (let hour = 10; hour < 22; hour++)
      await client.create({ slot: slotOf('lab/b', `${hour}:00`, `${hour}:30`, '2026-11-30') });
    await page.route(/from=/, (route) => route.abort());
    await page.goto(`${service.url}/timetable?zone=Europe/Berlin&as=agenda&filter=lab/`);
    await desk.says('trouble', 'The service has not responded');
    const agenda = page.locator('#agenda');
    const isAtEnd = () =>
      agenda.evaluate((own) => own.scrollTop > 0 && own.scrollTop + own.clientHeight >= own.scrollHeight - 1);
    await agenda.hover();
    await page.mouse.wheel(0, 2_000);
    await until(isAtEnd);
    await desk.pass();
    await desk.isDrawn();
    expect(await isAtEnd()).toBe(true);
  });

  it('is at what is on now when it is opened from the rows, and after a search', async () => {
    await page.unroute(/from=/);
    for (let hour = 4; hour < 10; hour++)
      await client.create({ slot: slotOf('lab/a', `0${hour}:00`, `0${hour}:30`, '2026-11-30') });
    await desk.goTo('?zone=Europe/Berlin&as=rows&filter=lab');
    const next = page.locator('#agenda .item:not(.past)').first();
    const isAtTop = () =>
      next.evaluate(
        (own) => own.getBoundingClientRect().top < own.closest('#agenda')!.getBoundingClientRect().top + 99,
      );
    await desk.press('a');
    await until(isAtTop);
    await page.locator('#agenda').evaluate((own) => void (own.scrollTop = 0));
    expect(await isAtTop()).toBe(false);
    await page.locator('#filter').fill('lab/');
    await until(isAtTop);
  });

  it('keeps the focus on an item when others appear, which takes the colours of groups anew, and which arrows reach', async () => {
    const date = '2026-12-22';
    await client.create({ slot: slotOf('lab/b', '10:00', '11:00', date), title: 'Ada' });
    await desk.goTo(`?date=${date}&zone=Europe/Berlin&as=agenda`);
    await page.locator('.item', { hasText: 'Ada' }).focus();
    const hue = () => page.locator('.item:focus').evaluate((own: HTMLElement) => own.style.getPropertyValue('--hue'));
    const before = await hue();
    await client.create({ slot: slotOf('attic/a', '11:00', '12:00', date), title: 'Grace' });
    await desk.pass();
    await page.locator('.item', { hasText: 'Grace' }).waitFor();
    expect(await page.locator('.item:focus').innerText()).toContain('Ada');
    expect(await hue()).not.toBe(before);
    expect(
      [await desk.press('ArrowDown'), await desk.press('ArrowUp')].map((text) => /Ada|Grace/.exec(text)?.[0]),
    ).toEqual(['Grace', 'Ada']);
  });

  it('has the focus after the details of an item that has been drawn again', async () => {
    const date = '2026-12-23';
    await client.create({ slot: slotOf('lab/b', '10:00', '11:00', date), title: 'Ada' });
    await desk.goTo(`?date=${date}&zone=Europe/Berlin&as=agenda`);
    await page.locator('.item', { hasText: 'Ada' }).click();
    await panel.waitFor();
    await client.create({ slot: slotOf('lab/a', '09:00', '10:00', date), title: 'Grace' });
    await desk.pass();
    await page.locator('.item', { hasText: 'Grace' }).waitFor();
    await desk.press('Escape');
    await panel.waitFor({ state: 'hidden' });
    expect(await page.locator('#agenda:focus').count()).toBe(1);
  });
});
