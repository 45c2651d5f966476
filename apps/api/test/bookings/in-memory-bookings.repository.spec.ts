import { InMemoryBookingsRepository } from '../../src/bookings/in-memory/in-memory-bookings.repository.js';
import { expectToBehaveLikeModel } from './bookings-repository.model.js';
import { describeBookingsRepository } from './bookings-repository.suite.js';

const create = async (): Promise<InMemoryBookingsRepository> => new InMemoryBookingsRepository(100_000);

describeBookingsRepository('The in-memory repository', create);

it('The in-memory repository behaves like the model over 2,000 random histories', async () => {
  await expectToBehaveLikeModel(create, 2_000);
});
