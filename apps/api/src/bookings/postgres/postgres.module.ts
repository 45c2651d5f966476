import { type DynamicModule, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Database } from '../../platform/database/database.js';
import { Readiness } from '../../platform/observability/readiness.js';
import { BookingsRepository } from '../domain/bookings.repository.js';
import { measured } from '../measured-bookings.js';
import { PostgresBookingsRepository } from './postgres-bookings.repository.js';

@Module({})
export class PostgresModule {
  /** @param database exports the {@link Database} */
  static forRoot(database: DynamicModule): DynamicModule {
    const useFactory = (connections: Database, registry: Registry, readiness: Readiness): BookingsRepository => {
      const bookings = measured(new PostgresBookingsRepository(connections, registry), registry);
      readiness.watch('database', () => bookings.checkReady());
      return bookings;
    };
    return {
      module: PostgresModule,
      imports: [database],
      providers: [{ provide: BookingsRepository, useFactory, inject: [Database, Registry, Readiness] }],
      exports: [BookingsRepository],
    };
  }
}
