import fc from 'fast-check';
import { Bookings } from '../src/bookings.js';
import { Feed } from '../src/feed.js';
import { FakeService } from './support/fake-service.js';

const { jest } = import.meta;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 30);
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
const pass = (time: number) => jest.advanceTimersByTimeAsync(time);

function setHidden(hidden: boolean): void {
  page.hidden = hidden;
  page.dispatchEvent(new Event('visibilitychange'));
}

function open(service: FakeService) {
  page = Object.assign(new EventTarget(), { hidden: false });
  Object.assign(globalThis, { document: page });
  const bookings = new Bookings();
  const feed = new Feed(service.client, bookings, () => {});
  feed.show(WEEK);
  return { bookings, feed };
}

/** Headers of a limit of 60 requests a minute, with some left for the next 100 seconds. */
const aLimit = (left: number) => ({ RateLimit: `"a";r=${left};t=100`, 'RateLimit-Policy': '"a";q=60;w=60' });

const idsIn = (known: Bookings) =>
  known.resources.flatMap((name) => known.booked(name, WEEK).map(({ booking }) => booking.booking_id)).toSorted();
const idsOf = (service: FakeService) => service.bookings.map(({ booking_id: id }) => id).toSorted();

/** Bookings made before an instant, at times that are shown as free. */
const lies = (known: Bookings, service: FakeService, before: number) =>
  service.bookings.filter(({ slot, created_at: created }) => {
    const parts = known.parts(slot.resource_id, known.window).filter((part) => !part.booked && !part.isUnread);
    const start = Date.parse(slot.start);
    const end = Date.parse(slot.end);
    return Date.parse(created) < before && parts.some((part) => part.start < end && part.end > start);
  });

describe('The feed', () => {
  it.each([
    ['for two minutes', { retryAfter: 120 }, 119_000, 3 * MINUTE],
    ['for five minutes rather than a month', { retryAfter: 30 * 86_400 }, 5 * MINUTE, 7 * MINUTE],
    ['until a limit is reset of which a quarter is left', { headers: aLimit(15) }, 99_000, 2 * MINUTE],
  ])('pauses %s, even if its tab comes into view', async (_, response, before, after) => {
    const service = Object.assign(new FakeService(), response);
    open(service);
    await pass(1_000);
    const { requests } = service;
    setHidden(true);
    setHidden(false);
    await pass(before - 1_000);
    expect(service.requests).toBe(requests);
    await pass(after - before);
    expect(service.requests).toBeGreaterThan(requests);
  });

  it.each([-HOUR, HOUR])('goes on when the clock is set by %d ms: nothing is unread for long', async (by) => {
    const service = new FakeService();
    const { bookings, feed } = open(service);
    await pass(20_000);
    const { requests } = service;
    jest.setSystemTime(Date.now() + by);
    await pass(20_000);
    expect(service.requests).toBeGreaterThanOrEqual(requests + 3);
    expect([bookings.isUnread(WEEK), feed.notBefore > performance.now()]).toEqual([false, false]);
  });

  it('calls nothing free after a sleep, in which timers stand still', async () => {
    const { bookings } = open(new FakeService());
    await pass(1_000);
    jest.setSystemTime(Date.now() + HOUR);
    expect(bookings.isUnread(WEEK)).toBe(true);
  });

  it('reads again after a 401, once a minute', async () => {
    const service = new FakeService();
    const { feed } = open(service);
    service.denies = true;
    await pass(6_000);
    expect(feed.isDenied).toBe(true);
    const { requests } = service;
    await pass(10 * MINUTE);
    expect(service.requests - requests).toBeGreaterThanOrEqual(7);
    expect(service.requests - requests).toBeLessThanOrEqual(10);
    service.denies = false;
    await pass(2 * MINUTE);
    expect(feed.failure).toBeUndefined();
  });

  it('waits longer and longer while polls succeed and pages fail, and says since when', async () => {
    const service = new FakeService();
    service.fails = ({ from }) => from !== undefined;
    const { feed } = open(service);
    await pass(10 * MINUTE);
    expect(service.requests).toBeLessThan(40);
    expect(feed.failure!.since.at).toBeLessThan(NOW + 1_000);
    service.fails = () => false;
    await pass(2 * MINUTE);
    expect(feed.failure).toBeUndefined();
  });

  it('shows no booked time as free, requests nothing while it is hidden, and shows in the end what there is', async () => {
    const slots = fc.record({ room: fc.nat({ max: 3 }), hour: fc.nat({ max: 167 }), more: fc.nat({ max: 2 }) });
    const steps = fc.record({
      pause: fc.integer({ min: 10, max: 20_000 }),
      failing: fc.constantFrom(0, 10, 60),
      window: fc.constantFrom(undefined, WEEK, WEEK, ...DAYS),
      looksAway: fc.boolean(),
      creates: fc.array(slots, { maxLength: 40 }),
      isOwn: fc.boolean(),
      deletes: fc.option(fc.tuple(fc.nat({ max: 250 }), fc.integer({ min: 1, max: 250 }))),
    });
    const many = fc.array(slots, { maxLength: 250, size: 'max' });
    const seeds = fc.array(fc.integer({ min: 0, max: 99 }), { minLength: 1, maxLength: 40 });
    const plays = fc.asyncProperty(many, seeds, fc.array(steps, { maxLength: 12 }), async (booked, seed, acts) => {
      const service = new FakeService();
      const start = Date.now();
      const book = ({ room, hour, more }: (typeof booked)[number], createdAt: number) =>
        service.create(`room-${room}`, NOW + hour * HOUR, NOW + (hour + 1 + more) * HOUR, createdAt);
      for (const slot of booked) book(slot, start - HOUR);
      const { bookings, feed } = open(service);
      let drawn = 0;
      for (const { pause, failing, window, looksAway, creates, isOwn, deletes } of acts) {
        const created = creates.map((slot) => book(slot, Date.now()));
        if (isOwn) bookings.add(created);
        if (deletes !== null) service.bookings = service.bookings.toSpliced(...deletes);
        service.fails = () => seed[drawn++ % seed.length]! < failing;
        if (window) feed.show(window);
        for (let moment = 0; moment < 6; moment++) {
          await pass(15);
          expect(lies(bookings, service, start)).toEqual([]);
        }
        setHidden(looksAway);
        const { requests } = service;
        await pass(pause);
        expect(looksAway ? service.requests : requests).toBe(requests);
        setHidden(false);
      }
      service.fails = () => false;
      feed.show(WEEK);
      await pass(7 * MINUTE);
      expect(idsIn(bookings)).toEqual(idsOf(service));
      setHidden(true);
    });
    await fc.assert(plays, { numRuns: 30, endOnFailure: true });
  });
});
