import { BookingsClient } from '@booking-service/client';
import { ServiceProcess, until } from 'testing';
import { ADDRESS, INTERFACE, slotOf, Timetable } from '../support/timetable.js';

const HOUR = 3_600_000;
const MONDAY = Date.parse('2026-11-30T00:00:00+01:00');

/** Ten bookings of an hour for each room and day, in the order of their starts. */
const bookings = Array.from({ length: 14_000 }, (_, index) => {
  const room = index % 200;
  const turn = Math.floor(index / 200);
  const start = MONDAY + Math.floor(turn / 10) * 24 * HOUR + (4 + (turn % 10) * 2) * HOUR;
  const text = (instant: number) => new Date(instant).toISOString();
  const slot = { resource_id: `floor-${room % 10}/room-${room}`, start: text(start), end: text(start + HOUR) };
  return { booking_id: `id-${index + 10_000}`, created_at: text(MONDAY), slot };
});

describe('With 200 resources, 2,000 bookings a day and 14,000 a week', () => {
  let timetable: Timetable;
  beforeAll(async () => {
    timetable = await Timetable.open({ viewport: { width: 3_840, height: 2_160 } });
    await timetable.page.route(INTERFACE, async (route) => {
      const { from = '', to = '~', cursor = '0' } = Object.fromEntries(new URL(route.request().url()).searchParams);
      const within = bookings.filter(({ slot }) => slot.start < to && slot.end > from);
      const end = Number(cursor) + 100;
      const next = end < within.length ? String(end) : null;
      await route.fulfill({ json: { bookings: within.slice(end - 100, end), next_cursor: next } }).catch(() => {});
    });
    await timetable.goTo();
  });
  afterAll(() => timetable.page.close());

  const scrollTo = async (top: number) => {
    await timetable.page.evaluate(`document.querySelector('#grid:not([hidden]), #agenda').scrollTop = ${top}`);
    await timetable.isDrawn();
  };

  it.each([
    ['a day', 'day', '2,000'],
    ['a week', 'week', '14,000'],
    ['an agenda of a day', 'day&as=agenda', '2,000'],
    ['an agenda of a week', 'week&as=agenda', '14,000'],
  ])('%s has at most 1,500 elements, even while it is scrolled', async (_, span, count) => {
    await timetable.goTo(ADDRESS.replace('day', span));
    await timetable.says('status', `${count} bookings`);
    for (let top = 0; top < 5_000; top += 970) {
      await scrollTo(top);
      expect(await timetable.page.locator('*').count()).toBeLessThanOrEqual(1_500);
    }
  });

  it('a row that is far away keeps its focus, and one that is not drawn whole can be clicked', async () => {
    await timetable.goTo();
    await timetable.page.locator('.cell[tabindex="0"]').focus();
    for (const top of [0, 4_000, 600, 0]) {
      await scrollTo(top);
      expect(await timetable.page.locator('.cell:focus').count()).toBe(1);
    }
    await timetable.goTo();
    await timetable.page.locator('.booked').first().click();
    await timetable.panel.waitFor();
  });

  it('an agenda returns the focus to the item whose details were open, however far it was scrolled', async () => {
    await timetable.goTo(`${ADDRESS}&as=agenda`);
    await timetable.page.locator('.item').first().click();
    await timetable.panel.waitFor();
    await scrollTo(40_000);
    await timetable.press('Escape');
    expect(await timetable.page.locator('.item:focus').count()).toBe(1);
    await timetable.goTo();
  });

  it('a screen reader finds no row without cells, even if most rows are out of sight', async () => {
    expect(await timetable.page.locator('.row:empty').count()).toBeGreaterThan(0);
    await timetable.isAccessible('a day of 200 resources');
  });

  it('print shows all rows', async () => {
    const { page } = timetable;
    expect(await page.locator('.row:empty').count()).toBeGreaterThan(0);
    // All must be drawn at once: a printer does not wait.
    await page.evaluate(`matchMedia('print').addEventListener('change', () => {
      document.title = document.querySelectorAll('.row:empty').length + ' empty';
    })`);
    await page.emulateMedia({ media: 'print' });
    await until(async () => (await page.title()) === '0 empty');
    const sizes = await page.locator('#grid').evaluate(({ scrollWidth, clientHeight }) => [scrollWidth, clientHeight]);
    expect(sizes[0]).toBe(3_840);
    expect(sizes[1]).toBeGreaterThan(200 * 40);
  });
});

it('pages of 1 MB that have not changed are read again for less than 1 kB each', async () => {
  const service = await ServiceProcess.start();
  const client = new BookingsClient({ baseUrl: service.url });
  for (let index = 0; index < 100; index++)
    await client.create({ slot: slotOf(`room-${index}`, '10:00', '11:00'), note: 'x'.repeat(10_500) });
  // In a new tab, as Chromium does not cache in one that has had a route.
  const timetable = await Timetable.open();
  const session = await timetable.page.context().newCDPSession(timetable.page);
  const urls = new Map<string, string>();
  const sizes: Record<string, number[]> = {};
  session.on('Network.requestWillBeSent', ({ requestId, request }) => urls.set(requestId, request.url));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    (sizes[urls.get(requestId)!] ??= []).push(encodedDataLength);
  });
  await session.send('Network.enable');
  await timetable.goTo(ADDRESS, service);
  const ofPages = () => Object.entries(sizes).flatMap(([url, all]) => (url.includes('&from=') ? [all] : []));
  await until(() => timetable.pass().then(() => ofPages()[0]!.length > 1));
  const [first, ...again] = ofPages()[0]!;
  expect(first).toBeGreaterThan(1_000_000);
  expect(Math.max(...again)).toBeLessThan(1_000);
  const polls = Object.entries(sizes).find(([url]) => url.endsWith('?limit=20'))![1];
  expect(polls.length).toBeGreaterThan(1);
  expect(Math.max(...polls.slice(1))).toBeLessThan(1_000);
  await timetable.page.close();
  await service.stop();
});
