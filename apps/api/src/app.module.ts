import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import type { Database } from './database/database.js';
import type { DatabaseSettings } from './database/database-pools.js';
import type { Registry } from 'prom-client';
import type { AuthSettings } from './auth/auth-settings.js';
import type { BookingSchema } from './booking-schema/booking-schema.js';
import { BookingsModule } from './bookings/bookings.module.js';
import type { Config } from './config/config.js';
import type { EventsOptions } from './events/events.module.js';
import type { Log } from './observability/logger.js';
import { Metrics } from './observability/metrics.js';
import { ObservabilityModule } from './observability/observability.module.js';
import { OpenApiModule } from './openapi/openapi.module.js';
import { ProblemFilter } from './problem.filter.js';
import type { RateLimitSettings } from './rate-limit/rate-limiter.js';
import { TimetableModule } from './timetable/timetable.module.js';

@Module({})
export class AppModule {
  /** What the configuration does not ask for is not loaded: its files are a tenth of the time to start. */
  static async forRoot(config: Config, log: Log, schema: BookingSchema): Promise<DynamicModule> {
    const metrics = new Metrics();
    const { registry } = metrics;
    const { timeout: stopPatience } = config.shutdown;
    const database = config.database && (await openDatabase(config.database));
    if (database !== undefined) metrics.watchPool(() => database.poolState);
    const events = config.events && (await loadEvents({ ...config.events, database, registry, stopPatience }));
    return {
      module: AppModule,
      imports: [
        // Guards run in the order of their modules: who the caller is comes before how often it asks.
        ...(config.auth === undefined ? [] : [await authentication(config.auth)]),
        ...(config.rateLimit === undefined ? [] : [await rateLimit(config.rateLimit, database, registry)]),
        // In the order in which Express tries their routes: what is asked most comes first.
        BookingsModule.forRoot({
          database,
          memoryMaxBookings: config.memoryMaxBookings,
          schema,
          registry,
          announce: events?.announce,
        }),
        ObservabilityModule.forRoot(log, config.log, metrics, database !== undefined),
        OpenApiModule.forRoot({
          tokens: config.auth === undefined ? 'none' : 'required',
          bookingSchema: schema,
          swaggerUi: config.swaggerUi,
        }),
        ...(events === undefined ? [] : [events.module]),
        ...(config.timetable === undefined ? [] : [TimetableModule.forRoot(config.timetable.resources)]),
      ],
      providers: [{ provide: APP_FILTER, useClass: ProblemFilter }],
    };
  }
}

async function openDatabase(settings: DatabaseSettings): Promise<Database> {
  const { Database } = await import('./database/database.js');
  return new Database(settings);
}

async function loadEvents(options: EventsOptions) {
  const { EventsModule } = await import('./events/events.module.js');
  return EventsModule.forRoot(options);
}

async function authentication(settings: AuthSettings): Promise<DynamicModule> {
  const { AuthModule } = await import('./auth/auth.module.js');
  return AuthModule.forRoot(settings);
}

async function rateLimit(settings: RateLimitSettings, database: Database | undefined, registry: Registry) {
  const { RateLimitModule } = await import('./rate-limit/rate-limit.module.js');
  return RateLimitModule.forRoot(settings, database, registry);
}
