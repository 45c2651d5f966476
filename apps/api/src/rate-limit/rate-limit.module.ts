import { type DynamicModule, type MiddlewareConsumer, Module, type NestModule, type Provider } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { atUndecodablePaths } from '../http/routes.js';
import { RateLimitGuard } from './rate-limit.guard.js';
import {
  COUNTERS,
  countersIn,
  countersInMemory,
  RATE_LIMIT_SETTINGS,
  RateLimiter,
  type RateLimitSettings,
} from './rate-limiter.js';

/** Imported after the module that authenticates: guards and middleware run in the order of their modules. */
@Module({})
export class RateLimitModule implements NestModule {
  constructor(private readonly guard: RateLimitGuard) {}

  /** @param database exports the database that replicas share their counters in; without it, each replica counts alone */
  static async forRoot(settings: RateLimitSettings, database: DynamicModule | undefined): Promise<DynamicModule> {
    return {
      module: RateLimitModule,
      imports: database === undefined ? [] : [database],
      providers: [
        { provide: RATE_LIMIT_SETTINGS, useValue: settings },
        await counters(settings, database),
        RateLimiter,
        RateLimitGuard,
        { provide: APP_GUARD, useExisting: RateLimitGuard },
      ],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    atUndecodablePaths(consumer, (request, response) => this.guard.admit(request, response));
  }
}

async function counters(settings: RateLimitSettings, database: DynamicModule | undefined): Promise<Provider> {
  if (database === undefined) return { provide: COUNTERS, useFactory: () => countersInMemory(settings) };
  const { Database } = await import('../database/database.js');
  return {
    provide: COUNTERS,
    useFactory: (shared: InstanceType<typeof Database>) => countersIn(shared, settings),
    inject: [Database],
  };
}
