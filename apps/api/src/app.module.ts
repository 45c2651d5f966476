import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, DiscoveryModule, HttpAdapterHost } from '@nestjs/core';
import { problemOfBooking } from './bookings/booking-problems.js';
import type { BookingSchema } from './bookings/booking-schema.js';
import { BookingsModule, type StoreModule } from './bookings/bookings.module.js';
import type { Config } from './config/config.js';
import type { HttpAdapter } from './edge/http-adapter.js';
import { AccessDecoratorCheck } from './edge/operation.js';
import { ProblemFilter } from './edge/problem.filter.js';
import { AuthModule } from './features/auth/auth.module.js';
import { BearerGuard } from './features/auth/bearer.guard.js';
import { MonitoringModule } from './features/monitoring/monitoring.module.js';
import { PREVIEW_VERSION } from './features/openapi/preview-version.js';
import { RateLimitGuard } from './features/rate-limit/rate-limit.guard.js';
import { TimetableModule } from './features/timetable/timetable.module.js';
import type { Log } from './platform/observability/logger.js';
import { ObservabilityModule } from './platform/observability/observability.module.js';

@Module({})
export class AppModule {
  /**
   * @param schema the deployment's rules for create payloads
   * @param storeModules modules that export the `BookingsRepository`, and a `BookingsListener` if there are webhooks
   */
  static forRoot(config: Config, log: Log, schema: BookingSchema, storeModules: StoreModule[]): DynamicModule {
    const { auth, rateLimit, timetable } = config;
    return {
      module: AppModule,
      imports: [
        DiscoveryModule,
        ObservabilityModule.forRoot({ name: 'booking_service', version: PREVIEW_VERSION, log }),
        // Express tries routes in this order, so the most frequent come first.
        BookingsModule.forRoot(schema, storeModules),
        MonitoringModule.forRoot(log, config.log),
        ...(timetable.isOn ? [TimetableModule.forRoot(timetable.resources)] : []),
        ...(auth ? [AuthModule.forRoot(auth)] : []),
      ],
      providers: [
        AccessDecoratorCheck,
        // Guards run in this order: the rate limit needs the caller, whom the first guard identifies.
        ...(auth ? [{ provide: APP_GUARD, useClass: BearerGuard }] : []),
        ...(rateLimit ? [{ provide: APP_GUARD, useFactory: () => new RateLimitGuard(rateLimit) }] : []),
        {
          provide: APP_FILTER,
          useFactory: ({ httpAdapter }: HttpAdapterHost<HttpAdapter>) =>
            new ProblemFilter(httpAdapter, problemOfBooking),
          inject: [HttpAdapterHost],
        },
      ],
    };
  }
}
