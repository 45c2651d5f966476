import type { Booking } from '../../src/bookings/domain/booking.js';
import type { BookingsRepository } from '../../src/bookings/domain/bookings.repository.js';
import { ALL_TIME, type ListFilter } from '../../src/bookings/domain/cursor.js';
import { aBooking, DAY, HOUR } from './arbitrary-bookings.js';

const by = (key: string, fingerprint = 'payload') => ({ key, fingerprint });

/**
 * What every repository promises, held against a real one.
 *
 * @param create gives an empty repository
 */
export function describeBookingsRepository(name: string, create: () => Promise<BookingsRepository>): void {
  describe(name, () => {
    let bookings: BookingsRepository;
    beforeEach(async () => {
      bookings = await create();
    });

    const keep = async (...wished: Booking[]): Promise<void> => {
      for (const booking of wished) await bookings.create(booking);
    };
    const idsOf = async (filter: ListFilter): Promise<string[]> =>
      (await bookings.list(filter, { limit: 100 })).bookings.map(({ bookingId }) => bookingId);

    describe('a slot', () => {
      it.each([
        ['the same window', 9, 11],
        ['a window inside', 9.5, 10],
        ['a window around', 8, 12],
        ['a window that reaches in', 8, 9.01],
        ['a window that reaches out', 10.99, 12],
      ])('is rejected for %s on the same resource, naming the slot that is held', async (_, start, end) => {
        const held = aBooking({ resource: 'room', start: 9, end: 11 });
        await keep(held);
        const overlapping = await bookings.create(aBooking({ resource: 'room', start, end }));
        expect(overlapping).toEqual({ kind: 'slot_taken', held: held.slot });
        expect(await idsOf({})).toEqual([held.bookingId]);
      });

      it('is kept right before and right after another: windows are half-open', async () => {
        await keep(
          aBooking({ resource: 'room', start: 9, end: 10 }),
          aBooking({ resource: 'room', start: 8, end: 9 }),
          aBooking({ resource: 'room', start: 10, end: 11 }),
        );
        expect(await idsOf({ resourceId: 'room' })).toHaveLength(3);
      });

      it('is kept for a resource whose name differs in case, in normalisation or by a space', async () => {
        await keep(...['é', 'e\u0301', 'É', 'é ', '\u{1F6AA}'].map((resource) => aBooking({ resource })));
        expect(await idsOf({})).toHaveLength(5);
        expect(await idsOf({ resourceId: 'e\u0301' })).toHaveLength(1);
      });

      it('is given to one of 64 creates at once', async () => {
        const creates = Array.from({ length: 64 }, (_, index) =>
          bookings.create(aBooking({ resource: 'room', start: index / 64, end: 1 + index / 64 })),
        );
        const kinds = (await Promise.all(creates)).map(({ kind }) => kind);
        expect(kinds.toSorted()).toEqual(['created', ...Array.from({ length: 63 }, () => 'slot_taken')]);
        expect(await idsOf({ resourceId: 'room' })).toHaveLength(1);
      });

      it('spans the whole range of instants, and one millisecond', async () => {
        const whole = Date.parse('9999-12-31T23:59:59.999Z');
        const first = Date.parse('0001-01-01T00:00:00.000Z');
        const longest = aBooking({ resource: 'a', start: (first - DAY) / HOUR, end: (whole - DAY) / HOUR });
        const shortest = aBooking({ resource: 'b', start: 0, end: 1 / HOUR });
        await keep(longest, shortest);
        expect(longest.slot).toMatchObject({ start: first, end: whole });
        expect(await idsOf({ window: { from: DAY, to: DAY + 1 } })).toEqual([longest.bookingId, shortest.bookingId]);
        expect(await bookings.create(aBooking({ resource: 'a' }))).toEqual({ kind: 'slot_taken', held: longest.slot });
      });
    });

    describe('an idempotency key', () => {
      it('finds its first booking again, also while that one holds the slot', async () => {
        const first = aBooking({ resource: 'room' });
        expect(await bookings.create(first, by('k'))).toEqual({ kind: 'created', booking: first });
        const again = await bookings.create(aBooking({ resource: 'room' }), by('k'));
        expect(again).toEqual({ kind: 'replayed', booking: first });
      });

      it('is rejected with another payload, before the slot is judged', async () => {
        await bookings.create(aBooking({ resource: 'room' }), by('k'));
        const reused = await bookings.create(aBooking({ resource: 'room' }), by('k', 'another payload'));
        expect(reused).toEqual({ kind: 'key_reused' });
      });

      it('is free again after a rejected create', async () => {
        await keep(aBooking({ resource: 'room' }));
        expect(await bookings.create(aBooking({ resource: 'room' }), by('k'))).toMatchObject({ kind: 'slot_taken' });
        const next = aBooking({ resource: 'room', start: 5, end: 6 });
        expect(await bookings.create(next, by('k', 'another payload'))).toEqual({ kind: 'created', booking: next });
      });

      it('makes one booking of 20 creates at once, the same for all', async () => {
        const creates = Array.from({ length: 20 }, () => bookings.create(aBooking({ resource: 'room' }), by('k')));
        const outcomes = await Promise.all(creates);
        expect(outcomes.filter(({ kind }) => kind === 'created')).toHaveLength(1);
        const texts = outcomes.map((outcome) => 'booking' in outcome && outcome.booking.json);
        expect(new Set(texts).size).toBe(1);
        expect(await idsOf({})).toHaveLength(1);
      });

      it('is case-sensitive', async () => {
        await bookings.create(aBooking(), by('k'));
        expect(await bookings.create(aBooking(), by('K', 'another payload'))).toMatchObject({ kind: 'created' });
      });
    });

    describe('a booking', () => {
      it('is found by exactly its id, as it was kept', async () => {
        const details = { z: 1, a: [true, null, 'Łódź \u{1F6AA}'], 7: 'seven', nested: { 'b/c': 0.1 } };
        const booking = aBooking({ resource: 'room', details });
        await keep(booking);
        expect(await bookings.find(booking.bookingId)).toEqual(booking);
        expect((await bookings.list({}, { limit: 1 })).bookings).toEqual([booking]);
      });

      it.each([
        ['empty', ''],
        ['no UUID', 'nothing'],
        ['NUL', '\0'],
        ['in braces', `{${aBooking().bookingId}}`],
        ['of a booking that was not kept', aBooking().bookingId],
        ['of 8,000 characters', 'x'.repeat(8000)],
      ])('is not found by an id that is %s', async (_, id) => {
        await keep(aBooking());
        expect(await bookings.find(id)).toBeUndefined();
      });

      it('is not found by its id in upper case', async () => {
        const booking = aBooking();
        await keep(booking);
        expect(await bookings.find(booking.bookingId.toUpperCase())).toBeUndefined();
      });
    });

    describe('a list', () => {
      it('shows what overlaps [from, to): not what ends at from, not what starts at to', async () => {
        const [before, reachesIn, inside, after] = [
          aBooking({ resource: 'a', start: 8, end: 9 }),
          aBooking({ resource: 'b', start: 8, end: 9.5 }),
          aBooking({ resource: 'a', start: 9, end: 10 }),
          aBooking({ resource: 'a', start: 10, end: 11 }),
        ] as const;
        await keep(before, reachesIn, inside, after, aBooking());
        const [from, to] = [DAY + 9 * HOUR, DAY + 10 * HOUR];
        const ids = (...listed: Booking[]): string[] => listed.map(({ bookingId }) => bookingId);
        expect(await idsOf({ window: { from, to } })).toEqual(ids(reachesIn, inside));
        expect(await idsOf({ window: { from, to }, resourceId: 'b' })).toEqual(ids(reachesIn));
        expect(await idsOf({ window: { ...ALL_TIME, from } })).toEqual(ids(reachesIn, inside, after));
        expect(await idsOf({ window: { ...ALL_TIME, to } })).toEqual(ids(before, reachesIn, inside));
      });

      it('shows a slot that reaches into the window by a millisecond, however long before it begins', async () => {
        // The lengths by which PostgreSQL finds slots, and one that is longer than each.
        const lengths = [1 / 6, 1, 4, 24, 168, 744, 8_784, 87_672].flatMap((hours) => [hours, hours + 1 / HOUR]);
        const [from, to] = [DAY, DAY + 1];
        const reachingIn = lengths.map((hours, index) =>
          aBooking({ resource: `in ${index}`, start: 1 / HOUR - hours, end: 1 / HOUR }),
        );
        const over = lengths.map((hours, index) => aBooking({ resource: `over ${index}`, start: -hours, end: 0 }));
        await keep(...reachingIn, ...over);
        expect(await idsOf({ window: { from, to } })).toEqual(
          reachingIn.toReversed().map(({ bookingId }) => bookingId),
        );
      });

      it('has one booking at least on a page, however large', async () => {
        const details = { note: 'x'.repeat(1_048_577) };
        const [first, second] = [aBooking({ details }), aBooking()] as const;
        await keep(first, second);
        const page = await bookings.list({ sort: 'created_at' }, { limit: 100 });
        expect(page.bookings.map(({ bookingId }) => bookingId)).toEqual([first.bookingId]);
        expect(page.hasMore).toBe(true);
      });
    });

    it('is ready', async () => {
      await expect(bookings.checkReady()).resolves.toBeUndefined();
    });
  });
}
