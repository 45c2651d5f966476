import fc from 'fast-check';
import { Bookings } from '../src/bookings.js';
import { Feed } from '../src/feed.js';
import { FakeService } from './support/fake-service.js';

const { jest } = import.meta;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 10, 30);
const DAY = 24 * HOUR;
const WEEK = { start: NOW, end: NOW + 7 * DAY };
const DAYS = [0, 1, 6].map((day) => ({ start: NOW + day * DAY, end: NOW + (day + 1) * DAY }));

let page: EventTarget & { hidden: boolean };

beforeEach(() => {
  jest.useFakeTimers({ now: NOW, doNotFake: ['nextTick', 'queueMicrotask'] });
  Object.assign(globalThis, { addEventListener: () => {} });
});
afterEach(() => {
  setHidden(true);
  jest.useRealTimers();
});

function setHidden(hidden: boolean): void {
  page.hidden = hidden;
  page.dispatchEvent(new Event('visibilitychange'));
}

function open(service: FakeService, window = WEEK) {
  page = Object.assign(new EventTarget(), { hidden: false });
  Object.assign(globalThis, { document: page });
  const bookings = new Bookings();
  const feed = new Feed(service.client, bookings, () => {});
  feed.show(window);
  return { bookings, feed };
}

/** Books each resource back to back. */
function fill(service: FakeService, resources: number, each: number): void {
  for (let index = 0; index < resources * each; index++) {
    const start = WEEK.start + Math.floor(index / resources) * HOUR;
    service.create(`room-${index % resources}`, start, start + HOUR, NOW - HOUR + index);
  }
}

/** The ids of the bookings that are known in a time. */
const idsIn = (known: Bookings) =>
  known.resources.flatMap((name) => known.booked(name, WEEK).map(({ booking }) => booking.booking_id)).toSorted();
const idsOf = (service: FakeService) => service.bookings.map(({ booking_id: id }) => id).toSorted();

describe('The feed', () => {
  it('reads a week of 8,400 bookings in two minutes at 60 requests a minute, and leaves others their share', async () => {
    const service = new FakeService();
    fill(service, 50, 168);
    service.limit = 60;
    const { bookings } = open(service);
    // Others that use the same token send ten requests a minute.
    const others = setInterval(() => service.count(), 6_000);
    await jest.advanceTimersByTimeAsync(2 * MINUTE);
    clearInterval(others);
    expect(bookings.share).toBe(1);
    expect(idsIn(bookings)).toEqual(idsOf(service));
    expect(service.rejected).toBe(0);
  });

  it('continues a walk that broke off at its cursor', async () => {
    const service = new FakeService();
    fill(service, 20, 100);
    let count = 0;
    service.fails = () => ++count % 4 === 0;
    const { bookings } = open(service);
    await jest.advanceTimersByTimeAsync(MINUTE);
    expect(bookings.share).toBe(1);
    const read = service.requests.filter(({ isFailed }) => !isFailed).map(({ query }) => JSON.stringify(query));
    const pages = read.filter((query) => query.includes('"from"'));
    expect(new Set(pages.slice(0, 20)).size).toBe(20);
  });

  it.each([
    ['of two minutes', 120, 119_000, 3 * MINUTE],
    ['of a month for five minutes', 30 * 86_400, 5 * MINUTE, 7 * MINUTE],
  ])('obeys a Retry-After %s, also when its tab is looked at', async (_, retryAfter, before, after) => {
    const service = new FakeService();
    service.retryAfter = retryAfter;
    open(service);
    await jest.advanceTimersByTimeAsync(MINUTE);
    setHidden(true);
    setHidden(false);
    await jest.advanceTimersByTimeAsync(before - MINUTE);
    expect(service.requests).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(after - before);
    expect(service.requests.length).toBeGreaterThan(1);
  });

  it('sends nothing while its tab is hidden; when it is visible again, deleted bookings go', async () => {
    const service = new FakeService();
    fill(service, 2, 100);
    const { bookings } = open(service);
    await jest.advanceTimersByTimeAsync(11_000);
    setHidden(true);
    service.delete(50, 1);
    const { length } = service.requests;
    await jest.advanceTimersByTimeAsync(MINUTE);
    expect(service.requests).toHaveLength(length);
    setHidden(false);
    // Each turn reads a page of the round.
    await jest.advanceTimersByTimeAsync(6_000);
    expect(idsIn(bookings)).toEqual(idsOf(service));
  });

  it('misses none of 30 new bookings, though a poll has 20 and a request fails', async () => {
    const service = new FakeService();
    fill(service, 2, 100);
    const { bookings } = open(service);
    await jest.advanceTimersByTimeAsync(1_000);
    for (let index = 0; index < 30; index++) service.create(`new-${index}`, NOW, NOW + HOUR);
    let count = 0;
    service.fails = () => ++count === 2;
    await jest.advanceTimersByTimeAsync(15_000);
    expect(count).toBeGreaterThan(2);
    expect(idsIn(bookings)).toEqual(idsOf(service));
  });

  /** What is known as free at an instant, and is booked. */
  const lies = (known: Bookings, service: FakeService, since: number) =>
    service.bookings.filter(({ slot, created_at: created }) => {
      const [start, end] = [Date.parse(slot.start), Date.parse(slot.end)];
      const cells = known.parts(slot.resource_id, known.window);
      return (
        Date.parse(created) < since &&
        cells.some((cell) => !cell.booked && !cell.isUnread && cell.start < end && cell.end > start)
      );
    });

  it('shows no booked time as free, and in the end what there is, whatever fails meanwhile', async () => {
    const slots = fc.record({
      resource: fc.nat({ max: 3 }),
      at: fc.nat({ max: 7 * 24 - 1 }),
      hours: fc.integer({ min: 1, max: 3 }),
    });
    const steps = fc.array(
      fc.record({
        pause: fc.integer({ min: 10, max: 20_000 }),
        failing: fc.constantFrom(0, 10, 60),
        window: fc.constantFrom(undefined, WEEK, WEEK, ...DAYS),
        looksAway: fc.boolean(),
        creates: fc.array(slots, { maxLength: 3 }),
        isOwn: fc.boolean(),
        deletes: fc.option(fc.record({ at: fc.nat({ max: 250 }), count: fc.integer({ min: 1, max: 250 }) })),
      }),
      { maxLength: 12 },
    );
    const seeds = fc.array(fc.integer({ min: 0, max: 99 }), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.array(slots, { maxLength: 250, size: 'max' }), steps, seeds, async (booked, play, seed) => {
        const service = new FakeService();
        const start = Date.now();
        const book = ({ resource, at, hours }: (typeof booked)[number], createdAt: number) =>
          service.create(`room-${resource}`, NOW + at * HOUR, NOW + (at + hours) * HOUR, createdAt);
        for (const slot of booked) book(slot, start - HOUR);
        const { bookings, feed } = open(service);
        let drawn = 0;
        for (const { pause, failing, window, looksAway, creates, isOwn, deletes } of play) {
          const created = creates.map((slot) => book(slot, Date.now()));
          if (isOwn) bookings.add(created);
          if (deletes !== null) service.delete(deletes.at, deletes.count);
          service.fails = () => seed[drawn++ % seed.length]! < failing;
          if (window) feed.show(window);
          // Some of these moments are in the middle of a walk.
          for (let moment = 0; moment < 6; moment++) {
            await jest.advanceTimersByTimeAsync(15);
            expect(lies(bookings, service, start)).toEqual([]);
          }
          if (looksAway) setHidden(true);
          await jest.advanceTimersByTimeAsync(pause);
          if (looksAway) setHidden(false);
        }
        service.fails = () => false;
        feed.show(WEEK);
        await jest.advanceTimersByTimeAsync(7 * MINUTE);
        expect(bookings.share).toBe(1);
        expect(idsIn(bookings)).toEqual(idsOf(service));
        setHidden(true);
      }),
      { numRuns: 30, endOnFailure: true },
    );
  });
});
