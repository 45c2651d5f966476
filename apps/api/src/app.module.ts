import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import type { AuthSettings } from './auth/auth-settings.js';
import { BookingSchema } from './booking-schema/booking-schema.js';
import { BookingsController } from './bookings/bookings.controller.js';
import { BookingsRepository } from './bookings/bookings.repository.js';
import { BookingsService } from './bookings/bookings.service.js';
import { InMemoryBookingsRepository } from './bookings/in-memory/in-memory-bookings.repository.js';
import type { Config } from './config.js';
import type { Log } from './observability/logger.js';
import { RequestLog } from './observability/request-log.js';
import { ProblemFilter } from './problem.filter.js';
import { HealthController } from './observability/health.controller.js';
import { OpenApiModule } from './openapi/openapi.module.js';
import type { Database, DatabaseSettings } from './postgres/database.js';
import { MeasuredBookings } from './bookings/measured-bookings.repository.js';
import { MetricsController } from './observability/metrics.controller.js';
import { Metrics } from './observability/metrics.js';
import { Lifecycle } from './observability/shutdown.js';
import { UnknownPathsController } from './http/unknown-paths.controller.js';
import { PageMethodsController } from './http/page-methods.controller.js';
import type { RateLimitSettings } from './rate-limit/rate-limit-settings.js';

/** Where the bookings are kept. Asked by nobody but {@link MeasuredBookings}; Nest prepares and closes it. */
const STORE = Symbol('store');

@Module({})
export class AppModule {
  /** What the configuration does not ask for is not loaded: its files are a tenth of the time to start. */
  static async with(config: Config, log: Log, bookingSchema: BookingSchema): Promise<DynamicModule> {
    const database = config.database && (await openDatabase(config.database));
    return {
      module: AppModule,
      // Guards run in the order of their modules: who the caller is comes before how often it asks.
      imports: [
        ...(config.auth === undefined ? [] : [await authentication(config.auth)]),
        ...(config.rateLimit === undefined ? [] : [await rateLimit(config.rateLimit, database)]),
        OpenApiModule.forRoot({
          tokens: config.auth === undefined ? 'none' : 'required',
          bookingSchema,
          swaggerUi: config.swaggerUi,
        }),
      ],
      // In the order in which Express tries them: what is asked most comes first.
      controllers: [
        BookingsController,
        UnknownPathsController,
        HealthController,
        MetricsController,
        PageMethodsController,
      ],
      providers: [
        BookingsService,
        Lifecycle,
        { provide: BookingSchema, useValue: bookingSchema },
        Metrics,
        {
          provide: RequestLog,
          useFactory: (lifecycle: Lifecycle) => new RequestLog(log, config.log, lifecycle),
          inject: [Lifecycle],
        },
        {
          provide: STORE,
          useFactory: (metrics: Metrics) => createStore(config, database, metrics),
          inject: [Metrics],
        },
        {
          provide: BookingsRepository,
          useFactory: (store: BookingsRepository, metrics: Metrics) => new MeasuredBookings(store, metrics.registry),
          inject: [STORE, Metrics],
        },
        { provide: APP_FILTER, useClass: ProblemFilter },
      ],
    };
  }
}

async function openDatabase(settings: DatabaseSettings): Promise<Database> {
  const { Database } = await import('./postgres/database.js');
  return new Database(settings);
}

async function authentication(settings: AuthSettings): Promise<DynamicModule> {
  const { AuthModule } = await import('./auth/auth.module.js');
  return AuthModule.forRoot(settings);
}

async function rateLimit(settings: RateLimitSettings, database: Database | undefined): Promise<DynamicModule> {
  const { RateLimitModule } = await import('./rate-limit/rate-limit.module.js');
  return RateLimitModule.forRoot(settings, database);
}

async function createStore(
  { memoryMaxBookings }: Config,
  database: Database | undefined,
  metrics: Metrics,
): Promise<BookingsRepository> {
  if (database === undefined) return new InMemoryBookingsRepository(memoryMaxBookings);
  metrics.watchPool(() => database.poolState);
  const { PostgresBookingsRepository } = await import('./bookings/postgres/postgres-bookings.repository.js');
  return new PostgresBookingsRepository(database);
}
