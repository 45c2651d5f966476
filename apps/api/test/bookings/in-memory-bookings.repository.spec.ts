import { InMemoryBookingsRepository } from '../../src/bookings/in-memory/in-memory-bookings.repository.js';
import { describeBookingsRepository } from './bookings-repository.suite.js';

describeBookingsRepository('The in-memory repository', async () => new InMemoryBookingsRepository(100_000), 2_000);
