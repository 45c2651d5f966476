import { sortOrders } from '@booking-service/contracts';
import fc from 'fast-check';
import type { BookingsPage, BookingsRepository, PageQuery } from '../../src/bookings/bookings.repository.js';
import { positionOf } from '../../src/bookings/cursor.js';
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
  // The clock may stand still, and may be set back.
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
    } else expect(actual).toEqual(expected);
  },
  toString: () => `create(${JSON.stringify({ slot, createdAt, key, fingerprint })})`,
}));

const limits = fc.integer({ min: 1, max: 5 });
const filters = fc.record({
  sort: fc.constantFrom(...sortOrders),
  resourceId: fc.option(fc.constantFrom(...resources), { nil: undefined }),
  from: fc.option(
    hour.map((hours) => DAY + hours * HOUR),
    { nil: undefined },
  ),
  to: fc.option(
    hour.map((hours) => DAY + hours * HOUR),
    { nil: undefined },
  ),
});

const walk = fc.tuple(filters, limits).map(([filter, limit]): Command => ({
  check: () => filter.from === undefined || filter.to === undefined || filter.from < filter.to,
  async run(model, { bookings }) {
    let after: PageQuery['after'];
    let page: BookingsPage;
    do {
      page = await bookings.list(filter, { limit, after });
      expect(page).toEqual(model.list(filter, { limit, after }));
      const last = page.bookings.at(-1);
      if (last !== undefined) after = positionOf(last, filter.sort);
    } while (page.hasMore);
  },
  toString: () => `walk(${JSON.stringify({ filter, limit })})`,
}));

/** A position that a list of the query could have had, such as that of a booking that an operator deleted. */
const jump = fc
  .record({ filter: filters, limit: limits, hours: hour, createdAt: hour, isSlot: fc.boolean() })
  .map(({ filter, limit, hours, createdAt, isSlot }): Command => {
    const isByStart = filter.sort.endsWith('start');
    const at = isByStart && isSlot ? DAY + hours * HOUR : null;
    return {
      check: () =>
        (filter.from === undefined || filter.to === undefined || filter.from < filter.to) &&
        (at === null || (at >= (filter.from ?? 0) && at < (filter.to ?? Infinity))),
      async run(model, { bookings }) {
        const { bookingId } = aBooking({ createdAt: DAY - createdAt * HOUR });
        const page = { limit, after: { at, bookingId } };
        expect(await bookings.list(filter, page)).toEqual(model.list(filter, page));
      },
      toString: () => `jump(${JSON.stringify({ filter, limit, at, createdAt })})`,
    };
  });

const findAll: Command = {
  check: () => true,
  async run(model, { bookings }) {
    for (const booking of model.bookings) expect(await bookings.find(booking.bookingId)).toEqual(booking);
  },
  toString: () => 'findAll()',
};

/** Holds a repository against the model over `runs` random histories; a failure prints its seed and its shortest history. */
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
