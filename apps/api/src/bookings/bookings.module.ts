import { type DynamicModule, Module } from '@nestjs/common';
import { UnknownPathsController } from '../http/routes.js';
import type { Database } from '../database/database.js';
import type { Registry } from 'prom-client';
import { BookingSchema } from '../booking-schema/booking-schema.js';
import { BookingsController } from './bookings.controller.js';
import { BookingsRepository } from './bookings.repository.js';
import { BookingsService } from './bookings.service.js';
import { InMemoryBookingsRepository } from './in-memory/in-memory-bookings.repository.js';
import { MeasuredBookings } from './measured-bookings.repository.js';

export interface BookingsOptions {
  /** Where bookings are kept; in memory where it is not set. */
  readonly database: Database | undefined;
  /** Bookings beyond which the in-memory store rejects a create. */
  readonly memoryMaxBookings: number;
  /** A deployment's own rules for create payloads. */
  readonly schema: BookingSchema;
  /** Where the metrics of the store are registered. */
  readonly registry: Registry;
  /** Wraps the store, so that whoever waits for bookings is told of each that is created in this process. */
  readonly announce?: ((store: BookingsRepository) => BookingsRepository) | undefined;
}

/** The store itself. Used by {@link MeasuredBookings} alone; Nest prepares and closes it. */
const STORE = Symbol('store');

/** The three operations, and the store that keeps their promises. */
@Module({})
export class BookingsModule {
  static forRoot(options: BookingsOptions): DynamicModule {
    return {
      module: BookingsModule,
      // Whether the store is ready is asked elsewhere too.
      global: true,
      controllers: [BookingsController, UnknownPathsController],
      providers: [
        BookingsService,
        { provide: BookingSchema, useValue: options.schema },
        { provide: STORE, useFactory: () => createStore(options) },
        {
          provide: BookingsRepository,
          useFactory: (store: BookingsRepository) =>
            new MeasuredBookings(options.announce?.(store) ?? store, options.registry),
          inject: [STORE],
        },
      ],
      exports: [BookingsRepository],
    };
  }
}

async function createStore({ database, memoryMaxBookings }: BookingsOptions): Promise<BookingsRepository> {
  if (database === undefined) return new InMemoryBookingsRepository(memoryMaxBookings);
  const { PostgresBookingsRepository } = await import('./postgres/postgres-bookings.repository.js');
  return new PostgresBookingsRepository(database);
}
