import { Module } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Metrics } from '../../platform/observability/metrics.js';
import { Readiness } from '../../platform/observability/readiness.js';
import { BookingsRepository } from '../domain/bookings.repository.js';
import { measured } from '../measured-bookings.js';
import { PostgresBookingsRepository } from './postgres-bookings.repository.js';

@Module({
  providers: [{ provide: BookingsRepository, useFactory: createStore, inject: [Database, Metrics, Readiness] }],
  exports: [BookingsRepository],
})
export class PostgresModule {}

function createStore(database: Database, metrics: Metrics, readiness: Readiness): BookingsRepository {
  const store = new PostgresBookingsRepository(database);
  const help = 'Creates that wait before they request a connection';
  metrics.watch('bookings_queued_creates', help, () => store.queuedCreates);
  const bookings = measured(store, metrics.registry);
  readiness.watch('database', () => bookings.checkReady());
  return bookings;
}
