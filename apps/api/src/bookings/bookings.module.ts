import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { UnknownPathsController } from '../http/routes.js';
import { BookingsController } from './bookings.controller.js';
import { BookingsRepository } from './bookings.repository.js';
import { BookingsService } from './bookings.service.js';
import { InMemoryBookingsRepository, MAX_BOOKINGS } from './in-memory/in-memory-bookings.repository.js';
import { MeasuredBookings, STORE } from './measured-bookings.repository.js';

export interface BookingsOptions {
  /** Exports the {@link BookingSchema}. */
  readonly schema: DynamicModule;
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
      imports: [schema, database, events].filter((imported) => imported !== undefined),
      controllers: [BookingsController, UnknownPathsController],
      providers: [
        BookingsService,
        { provide: MAX_BOOKINGS, useValue: memoryMaxBookings },
        { provide: STORE, useClass: database === undefined ? InMemoryBookingsRepository : await postgresRepository() },
        { provide: BookingsRepository, useClass: MeasuredBookings },
      ],
      exports: [BookingsRepository],
    };
  }
}

async function postgresRepository(): Promise<Type<BookingsRepository>> {
  const { PostgresBookingsRepository } = await import('./postgres/postgres-bookings.repository.js');
  return PostgresBookingsRepository;
}
