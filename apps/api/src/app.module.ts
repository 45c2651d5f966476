import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, DiscoveryModule } from '@nestjs/core';
import { TokenVerifier } from './auth/token-verifier.js';
import { openBookingSchema } from './booking-schema/booking-schema.js';
import { BookingsModule } from './bookings/bookings.module.js';
import { BookingsRepository } from './bookings/bookings.repository.js';
import type { Config } from './config/config.js';
import { MarkedHandlers } from './http/operation.js';
import type { Log } from './observability/logger.js';
import { ObservabilityModule } from './observability/observability.module.js';
import { Documentation } from './openapi/documentation.js';
import { PREVIEW_VERSION } from './openapi/preview-version.js';
import { ProblemFilter } from './problem.filter.js';
import { TimetableModule } from './timetable/timetable.module.js';

@Module({})
export class AppModule {
  /**
   * Modules that the configuration does not need are not loaded: a start would read their files too.
   *
   * @throws Error if BOOKING_SCHEMA_FILE cannot be used
   */
  static async forRoot(config: Config, log: Log): Promise<DynamicModule> {
    // Read before Nest makes providers: it would log an error of theirs in addition to the line of the failed start.
    const schema =
      config.bookingSchemaFile === undefined
        ? openBookingSchema
        : await (await import('./booking-schema/read-booking-schema.js')).readBookingSchema(config.bookingSchemaFile);
    const database =
      config.database && (await import('./database/database.module.js')).DatabaseModule.forRoot(config.database);
    const events =
      config.events &&
      database &&
      (await import('./events/events.module.js')).EventsModule.forRoot(config.events, database);
    const auth = config.auth && (await import('./auth/auth.module.js')).AuthModule.forRoot(config.auth);
    const rateLimit =
      config.rateLimit && (await import('./rate-limit/rate-limit.module.js')).RateLimitModule.forRoot(config.rateLimit);
    const { memoryMaxBookings, swaggerUi, timetable } = config;
    const bookings = await BookingsModule.forRoot({ schema, database, events, memoryMaxBookings });
    const dependencies = [
      ...(database === undefined ? [] : [{ name: 'database', provider: BookingsRepository }]),
      ...(config.auth?.oidc === undefined ? [] : [{ name: 'issuer', provider: TokenVerifier }]),
    ];
    const imports = auth === undefined ? [bookings] : [bookings, auth];
    const modules = [
      DiscoveryModule,
      // Guards run in the order of their modules: the caller is known before its requests are counted.
      auth,
      rateLimit,
      // In the order in which Express tries their routes: the most frequent ones first.
      bookings,
      ObservabilityModule.forRoot({ version: PREVIEW_VERSION, log, requests: config.log, dependencies, imports }),
      timetable && TimetableModule.forRoot(timetable.resources),
    ];
    const documentation = new Documentation({ tokens: auth === undefined ? 'none' : 'required', swaggerUi, schema });
    return {
      module: AppModule,
      imports: modules.filter((module) => module !== undefined),
      providers: [
        MarkedHandlers,
        { provide: APP_FILTER, useClass: ProblemFilter },
        { provide: Documentation, useValue: documentation },
      ],
    };
  }
}
