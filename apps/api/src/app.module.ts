import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { BookingSchema } from './booking-schema/booking-schema.js';
import { BookingsController } from './bookings/bookings.controller.js';
import { BookingsRepository } from './bookings/bookings.repository.js';
import { BookingsService } from './bookings/bookings.service.js';
import { InMemoryBookingsRepository } from './bookings/in-memory/in-memory-bookings.repository.js';
import { PostgresBookingsRepository } from './bookings/postgres/postgres-bookings.repository.js';
import type { Config } from './config.js';
import { ProblemFilter } from './problem.filter.js';
import { HealthController } from './operations/health.controller.js';
import { DocumentationController } from './openapi/documentation.controller.js';
import { Database } from './postgres/database.js';
import { Metrics, MetricsController } from './operations/metrics.js';

@Module({})
export class AppModule {
  static with(config: Config, bookingSchema: BookingSchema): DynamicModule {
    return {
      module: AppModule,
      // In the order in which Express tries them: what is asked most comes first.
      controllers: [BookingsController, HealthController, MetricsController, DocumentationController],
      providers: [
        BookingsService,
        { provide: BookingSchema, useValue: bookingSchema },
        Metrics,
        {
          provide: BookingsRepository,
          useFactory: () => bookingsRepository(config),
        },
        { provide: APP_FILTER, useClass: ProblemFilter },
      ],
    };
  }
}

function bookingsRepository({ database, memoryMaxBookings }: Config): BookingsRepository {
  if (database === undefined) return new InMemoryBookingsRepository(memoryMaxBookings);
  return new PostgresBookingsRepository(new Database(database));
}
