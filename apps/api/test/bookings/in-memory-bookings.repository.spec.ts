import { StoreUnavailable } from '../../src/bookings/booking.errors.js';
import { InMemoryBookingsRepository } from '../../src/bookings/in-memory/in-memory-bookings.repository.js';
import { aBooking } from './arbitrary-bookings.js';
import { expectToBehaveLikeModel } from './bookings-repository.model.js';
import { describeBookingsRepository } from './bookings-repository.suite.js';

const create = async (): Promise<InMemoryBookingsRepository> => new InMemoryBookingsRepository(100_000);

describeBookingsRepository('The in-memory repository', create);

describe('The in-memory repository', () => {
  it('behaves like the model over 2,000 random histories', async () => {
    await expectToBehaveLikeModel(create, 2_000);
  });

  it('rejects creates beyond its limit, and still replays and reads', async () => {
    const bookings = new InMemoryBookingsRepository(2);
    const first = aBooking();
    await bookings.create(first, { key: 'k', fingerprint: 'payload' });
    await bookings.create(aBooking());
    const rejected = aBooking({ resource: 'room' });
    await expect(bookings.create(rejected, { key: 'l', fingerprint: 'payload' })).rejects.toThrow(StoreUnavailable);
    expect(await bookings.find(rejected.bookingId)).toBeUndefined();
    expect(await bookings.create(aBooking(), { key: 'k', fingerprint: 'payload' })).toEqual({
      booking: first,
      kind: 'replayed',
    });
    expect((await bookings.list({ limit: 10, sort: 'created_at' })).bookings).toHaveLength(2);
  });
});
