import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
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
import { RateLimitModule } from './rate-limit/rate-limit.module.js';
import { Metrics, MetricsController } from './operations/metrics.js';
import { PageMethodsController } from './operations/page-methods.controller.js';

@Module({})
export class AppModule {
  static with(config: Config): DynamicModule {
    const database = config.database && new Database(config.database);
    return {
      module: AppModule,
      imports: config.rateLimit === undefined ? [] : [RateLimitModule.with(config.rateLimit, database)],
      // In the order in which Express tries them: what is asked most comes first.
      controllers: [
        BookingsController,
        HealthController,
        MetricsController,
        DocumentationController,
        PageMethodsController,
      ],
      providers: [
        BookingsService,
        Metrics,
        {
          provide: BookingsRepository,
          useFactory: () => bookingsRepository(config, database),
        },
        { provide: APP_FILTER, useClass: ProblemFilter },
      ],
    };
  }
}

function bookingsRepository({ memoryMaxBookings }: Config, database: Database | undefined): BookingsRepository {
  if (database === undefined) return new InMemoryBookingsRepository(memoryMaxBookings);
  return new PostgresBookingsRepository(database);
}
