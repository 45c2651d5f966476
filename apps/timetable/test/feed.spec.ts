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

/** A service whose resources are booked back to back. */
function filled(resources: number, each: number): FakeService {
  const service = new FakeService();
  for (let index = 0; index < resources * each; index++) {
    const start = WEEK.start + Math.floor(index / resources) * HOUR;
    service.create(`room-${index % resources}`, start, start + HOUR, NOW - HOUR + index);
  }
  return service;
}

const idsIn = (known: Bookings) =>
  known.resources.flatMap((name) => known.booked(name, WEEK).map(({ booking }) => booking.booking_id)).toSorted();
const idsOf = (service: FakeService) => service.bookings.map(({ booking_id: id }) => id).toSorted();

/** What is known as free, and was booked before an instant. */
const lies = (known: Bookings, service: FakeService, before: number) =>
  service.bookings.filter(({ slot, created_at: created }) => {
    const parts = known.parts(slot.resource_id, known.window).filter((part) => !part.booked && !part.isUnread);
    const [start, end] = [Date.parse(slot.start), Date.parse(slot.end)];
    return Date.parse(created) < before && parts.some((part) => part.start < end && part.end > start);
  });

describe('The feed', () => {
  it('reads a week of 8,400 bookings in two minutes at 60 requests a minute, and leaves others their share', async () => {
    const service = filled(50, 168);
    service.limit = 60;
    const { bookings } = open(service);
    // Others that use the same token send ten requests a minute.
    const others = setInterval(() => service.count(), 6_000);
    await pass(2 * MINUTE);
    clearInterval(others);
    expect(idsIn(bookings)).toEqual(idsOf(service));
    expect(service.rejected).toBe(0);
  });

  it('continues a walk that broke off at its cursor', async () => {
    const service = filled(20, 100);
    let count = 0;
    service.fails = () => ++count % 4 === 0;
    const { bookings } = open(service);
    await pass(MINUTE);
    expect(bookings.share).toBe(1);
    const pages = service.requests.filter(({ isFailed, query }) => !isFailed && query.from !== undefined);
    expect(new Set(pages.slice(0, 20).map(({ query }) => query.cursor)).size).toBe(20);
  });

  it.each([
    ['of two minutes', 120, 119_000, 3 * MINUTE],
    ['of a month for five minutes', 30 * 86_400, 5 * MINUTE, 7 * MINUTE],
  ])('obeys a Retry-After %s, also when its tab is looked at', async (_, retryAfter, before, after) => {
    const service = new FakeService();
    service.retryAfter = retryAfter;
    open(service);
    await pass(MINUTE);
    setHidden(true);
    setHidden(false);
    await pass(before - MINUTE);
    expect(service.requests).toHaveLength(1);
    await pass(after - before);
    expect(service.requests.length).toBeGreaterThan(1);
  });

  it('sends nothing while its tab is hidden', async () => {
    const service = filled(2, 100);
    open(service);
    await pass(11_000);
    setHidden(true);
    const { length } = service.requests;
    await pass(MINUTE);
    expect(service.requests).toHaveLength(length);
  });

  it('shows no booked time as free, and in the end what there is, whatever fails meanwhile', async () => {
    const slots = fc.record({
      room: fc.nat({ max: 3 }),
      hour: fc.nat({ max: 167 }),
      hours: fc.integer({ min: 1, max: 3 }),
    });
    const steps = fc.record({
      pause: fc.integer({ min: 10, max: 20_000 }),
      failing: fc.constantFrom(0, 10, 60),
      window: fc.constantFrom(undefined, WEEK, WEEK, ...DAYS),
      looksAway: fc.boolean(),
      creates: fc.array(slots, { maxLength: 40 }),
      isOwn: fc.boolean(),
      deletes: fc.option(fc.record({ at: fc.nat({ max: 250 }), count: fc.integer({ min: 1, max: 250 }) })),
    });
    const many = fc.array(slots, { maxLength: 250, size: 'max' });
    const seeds = fc.array(fc.integer({ min: 0, max: 99 }), { minLength: 1, maxLength: 40 });
    const plays = fc.asyncProperty(many, seeds, fc.array(steps, { maxLength: 12 }), async (booked, seed, acts) => {
      const [service, start] = [new FakeService(), Date.now()];
      const book = ({ room, hour, hours }: (typeof booked)[number], createdAt: number) =>
        service.create(`room-${room}`, NOW + hour * HOUR, NOW + (hour + hours) * HOUR, createdAt);
      for (const slot of booked) book(slot, start - HOUR);
      const { bookings, feed } = open(service);
      let drawn = 0;
      for (const { pause, failing, window, looksAway, creates, isOwn, deletes } of acts) {
        const created = creates.map((slot) => book(slot, Date.now()));
        if (isOwn) bookings.add(created);
        if (deletes !== null) service.delete(deletes.at, deletes.count);
        service.fails = () => seed[drawn++ % seed.length]! < failing;
        if (window) feed.show(window);
        // Some of these moments are in the middle of a walk.
        for (let moment = 0; moment < 6; moment++) {
          await pass(15);
          expect(lies(bookings, service, start)).toEqual([]);
        }
        if (looksAway) setHidden(true);
        await pass(pause);
        if (looksAway) setHidden(false);
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
