import type { BookingsRepository } from '../../src/bookings/domain/bookings.repository.js';
import { aBooking, DAY, HOUR } from './arbitrary-bookings.js';
import { expectToBehaveLikeModel } from './bookings-repository.model.js';

/**
 * Promises that the conformance kit does not check, or not with every setting of a database.
 *
 * @param create returns an empty repository
 * @param histories number of random histories
 */
export function describeBookingsRepository(
  name: string,
  create: () => Promise<BookingsRepository>,
  histories: number,
): void {
  describe(name, () => {
    it(`behaves like a plain array over ${histories} random histories`, async () => {
      await expectToBehaveLikeModel(create, histories);
    });

    it('gives a slot to one of 64 creates at once', async () => {
      const repository = await create();
      const creates = Array.from({ length: 64 }, (_, index) =>
        repository.create(aBooking({ resource: 'room', start: index / 64, end: 1 + index / 64 })),
      );
      const kinds = (await Promise.all(creates)).map(({ kind }) => kind);
      expect(kinds.toSorted()).toEqual(['created', ...Array.from({ length: 63 }, () => 'slot_taken')]);
      expect((await repository.list({ resourceId: 'room' }, { limit: 100 })).bookings).toHaveLength(1);
    });

    it('makes one booking of 20 creates at once with one key', async () => {
      const repository = await create();
      const idempotent = { key: 'k', fingerprint: 'payload' };
      const creates = Array.from({ length: 20 }, () => repository.create(aBooking({ resource: 'room' }), idempotent));
      const outcomes = await Promise.all(creates);
      expect(outcomes.filter(({ kind }) => kind === 'created')).toHaveLength(1);
      const { bookings } = await repository.list({}, { limit: 100 });
      const texts = outcomes.map((outcome) => 'booking' in outcome && outcome.booking.json);
      expect([...new Set(texts)]).toEqual(bookings.map(({ json }) => json));
    });

    it('returns every text unchanged, also of bookings that were created at once', async () => {
      const texts = ['é', 'e\u0301', '\u{1F6AA}', '\u2028', '\n', '\\', '"', "'", '{}', ',', 'NULL'];
      const bookings = texts.flatMap((text) => [
        aBooking({ resource: text, details: { 7: 0.1, note: text } }),
        aBooking({ details: { note: text } }),
      ]);
      const repository = await create();
      await Promise.all(bookings.map((booking) => repository.create(booking)));
      for (const booking of bookings) expect(await repository.find(booking.bookingId)).toMatchObject(booking);
      for (const text of texts) {
        const { bookings: listed } = await repository.list({ resourceId: text }, { limit: 2 });
        expect(listed.map(({ slot }) => slot?.resourceId)).toEqual([text]);
      }
    });

    it('lists a slot that reaches into the window by a millisecond, however long it is', async () => {
      const millisecond = 1 / HOUR;
      const first = Date.parse('0001-01-01T00:00:00.000Z');
      const last = Date.parse('9999-12-31T23:59:59.999Z');
      const endless = aBooking({ resource: 'all time', start: (first - DAY) / HOUR, end: (last - DAY) / HOUR });
      // The limits of the classes of length in PostgreSQL, in hours.
      const classes = [1 / 6, 1, 4, 24, 168, 744, 8_784, 87_672];
      const lengths = [millisecond, ...classes.flatMap((hours) => [hours, hours + millisecond])];
      const reachingIn = lengths.map((hours, index) =>
        aBooking({ resource: `in ${index}`, start: millisecond - hours, end: millisecond }),
      );
      const over = lengths.map((hours, index) => aBooking({ resource: `over ${index}`, start: -hours, end: 0 }));
      const repository = await create();
      for (const booking of [endless, ...reachingIn, ...over]) await repository.create(booking);
      const page = await repository.list({ window: { from: DAY, to: DAY + 1 } }, { limit: 100 });
      expect(page.bookings).toMatchObject([endless, ...reachingIn.toReversed()]);
    });
  });
}
