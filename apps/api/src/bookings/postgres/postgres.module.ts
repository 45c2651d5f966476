import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Database } from '../../platform/database/database.js';
import { Readiness } from '../../platform/observability/readiness.js';
import { BookingsRepository } from '../domain/bookings.repository.js';
import { measured } from '../measured-bookings.js';
import { PostgresBookingsRepository } from './postgres-bookings.repository.js';

@Module({
  providers: [{ provide: BookingsRepository, useFactory: createStore, inject: [Database, Registry, Readiness] }],
  exports: [BookingsRepository],
})
export class PostgresModule {}

function createStore(database: Database, registry: Registry, readiness: Readiness): BookingsRepository {
  const bookings = measured(new PostgresBookingsRepository(database, registry), registry);
  readiness.watch('database', () => bookings.checkReady());
  return bookings;
}
