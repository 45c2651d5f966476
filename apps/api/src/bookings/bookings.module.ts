import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { Registry } from 'prom-client';
import { BookingSchema } from '../booking-schema/booking-schema.js';
import type { Database } from '../database/database.js';
import { UnknownPathsController } from '../http/routes.js';
import { BookingSchemaPipe } from './booking-schema.pipe.js';
import { BookingsController } from './bookings.controller.js';
import { BookingsRepository } from './bookings.repository.js';
import { BookingsService } from './bookings.service.js';
import { InMemoryBookingsRepository } from './in-memory/in-memory-bookings.repository.js';
import { measured } from './measured-bookings.js';

export interface BookingsOptions {
  /** What the deployment requires of create payloads. */
  readonly schema: BookingSchema;
  /** Exports the database that bookings are kept in; they are kept in memory where it is not set. */
  readonly database: DynamicModule | undefined;
  /** Exports a {@link BookingsListener}. */
  readonly events: DynamicModule | undefined;
  /** Bookings beyond which the in-memory store rejects a create. */
  readonly memoryMaxBookings: number;
}

/** The three operations, and the store that keeps their promises. */
@Module({})
export class BookingsModule {
  static async forRoot({ schema, database, events, memoryMaxBookings }: BookingsOptions): Promise<DynamicModule> {
    return {
      module: BookingsModule,
      imports: [database, events].filter((imported) => imported !== undefined),
      controllers: [BookingsController, UnknownPathsController],
      providers: [
        BookingsService,
        BookingSchemaPipe,
        { provide: BookingSchema, useValue: schema },
        database === undefined ? inMemory(memoryMaxBookings) : await onPostgres(),
      ],
      exports: [BookingsRepository],
    };
  }
}

function inMemory(maxBookings: number): Provider<BookingsRepository> {
  return {
    provide: BookingsRepository,
    useFactory: (registry: Registry) => measured(new InMemoryBookingsRepository(maxBookings), registry),
    inject: [Registry],
  };
}

async function onPostgres(): Promise<Provider<BookingsRepository>> {
  const { Database } = await import('../database/database.js');
  const { PostgresBookingsRepository } = await import('./postgres/postgres-bookings.repository.js');
  return {
    provide: BookingsRepository,
    useFactory: (registry: Registry, database: Database) =>
      measured(new PostgresBookingsRepository(database, registry), registry),
    inject: [Registry, Database],
  };
}
