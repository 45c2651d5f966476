import { type DynamicModule, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { atUndecodablePaths } from '../http/routes.js';
import { RateLimitGuard } from './rate-limit.guard.js';
import { Counters, OwnCounters } from './counters.js';
import { RATE_LIMIT_SETTINGS, RateLimiter, type RateLimitSettings } from './rate-limiter.js';

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

async function counters({ requests, window }: RateLimitSettings, database: DynamicModule | undefined) {
  const milliseconds = window * 1_000;
  if (database === undefined) return { provide: Counters, useFactory: () => new OwnCounters(milliseconds) };
  const { Database } = await import('../database/database.js');
  const { SharedCounters } = await import('./shared-counters.js');
  return {
    provide: Counters,
    useFactory: (shared: InstanceType<typeof Database>) => new SharedCounters(shared, requests, milliseconds),
    inject: [Database],
  };
}
