import { sortOrders } from '@booking-service/contracts';
import fc from 'fast-check';
import type { BookingsPage, BookingsRepository, PageQuery } from '../../src/bookings/domain/bookings.repository.js';
import { ALL_TIME, type ListFilter, positionOf } from '../../src/bookings/domain/cursor.js';
import { aBooking, DAY, HOUR } from './arbitrary-bookings.js';
import { BookingsModel } from './bookings-model.js';

interface Real {
  bookings: BookingsRepository;
}

type Command = fc.AsyncCommand<BookingsModel, Real>;

const resources = ['room', 'Room', 'hall'];
const hour = fc.integer({ min: 0, max: 30 });
const window = fc
  .tuple(hour, fc.integer({ min: 1, max: 9 }))
  .map(([start, length]) => ({ start, end: start + length }));

const wish = fc.record({
  slot: fc.option(fc.record({ resource: fc.constantFrom(...resources), window }), { nil: undefined }),
  createdAt: hour.map((hours) => DAY - hours * HOUR),
  key: fc.option(fc.constantFrom('k1', 'k2', 'k3'), { nil: undefined }),
  fingerprint: fc.constantFrom('one payload', 'another'),
});

const create = wish.map(({ slot, createdAt, key, fingerprint }): Command => ({
  check: () => true,
  async run(model, { bookings }) {
    const booking = aBooking({ ...(slot && { resource: slot.resource, ...slot.window }), createdAt });
    const idempotent = key === undefined ? undefined : { key, fingerprint };
    const expected = model.create(booking, idempotent);
    const actual = await bookings.create(booking, idempotent);
    if (expected.kind === 'slot_taken' && actual.kind === 'slot_taken') {
      expect(expected.holders.map((holder) => holder.slot)).toContainEqual(actual.held);
    } else expect(actual).toMatchObject(expected);
  },
  toString: () => `create(${JSON.stringify({ slot, createdAt, key, fingerprint })})`,
}));

const limits = fc.integer({ min: 1, max: 5 });
const orders = fc.record({ sort: fc.constantFrom(...sortOrders) });
const at = (hours: number) => DAY + hours * HOUR;
const windows = fc
  .tuple(fc.option(hour.map(at), { nil: ALL_TIME.from }), fc.option(hour.map(at), { nil: ALL_TIME.to }))
  .filter(([from, to]) => from < to)
  .map(([from, to]) => ({ window: { from, to } }));
const filters = fc
  .tuple(fc.option(fc.constantFrom(...resources), { nil: undefined }), fc.oneof(orders, windows))
  .map(([resourceId, list]): ListFilter => Object.assign({ resourceId }, list));

const walk = fc.tuple(filters, limits).map(([filter, limit]): Command => ({
  check: () => true,
  async run(model, { bookings }) {
    let after: PageQuery['after'];
    let page: BookingsPage;
    do {
      page = await bookings.list(filter, { limit, after });
      expect(page).toMatchObject(model.list(filter, { limit, after }));
      const last = page.bookings.at(-1);
      if (last !== undefined) after = positionOf(last, filter);
    } while (page.hasMore);
  },
  toString: () => `walk(${JSON.stringify({ filter, limit })})`,
}));

/** A position of no booking, such as that of a deleted one. */
const jump = fc
  .record({ filter: filters, limit: limits, hours: hour, createdAt: hour })
  .map(({ filter, limit, hours, createdAt }): Command => {
    const start = filter.window && at(hours);
    return {
      check: () => true,
      async run(model, { bookings }) {
        const { bookingId } = aBooking({ createdAt: DAY - createdAt * HOUR });
        const page = { limit, after: { start, bookingId } };
        expect(await bookings.list(filter, page)).toMatchObject(model.list(filter, page));
      },
      toString: () => `jump(${JSON.stringify({ filter, limit, start, createdAt })})`,
    };
  });

const findAll: Command = {
  check: () => true,
  async run(model, { bookings }) {
    for (const booking of model.bookings) expect(await bookings.find(booking.bookingId)).toMatchObject(booking);
  },
  toString: () => 'findAll()',
};

/** Compares a repository with the model over random histories. A failure prints its seed and its shortest history. */
export async function expectToBehaveLikeModel(create_: () => Promise<BookingsRepository>, runs: number): Promise<void> {
  const commands = fc.commands([create, create, create, walk, jump, fc.constant(findAll)], { maxCommands: 60 });
  await fc.assert(
    fc.asyncProperty(commands, async (history) => {
      const bookings = await create_();
      await fc.asyncModelRun(() => ({ model: new BookingsModel(), real: { bookings } }), history);
    }),
    { numRuns: runs },
  );
}
