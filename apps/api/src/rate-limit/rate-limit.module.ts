import { type DynamicModule, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { atUndecodablePaths } from '../http/routes.js';
import type { Database } from '../database/database.js';
import type { Registry } from 'prom-client';
import { RateLimitGuard } from './rate-limit.guard.js';
import { RateLimiter, type RateLimitSettings } from './rate-limiter.js';

/** Imported after whatever says who the caller is: guards and middleware run in the order of their modules. */
@Module({})
export class RateLimitModule implements NestModule {
  constructor(private readonly guard: RateLimitGuard) {}

  static forRoot(settings: RateLimitSettings, database: Database | undefined, registry: Registry): DynamicModule {
    return {
      module: RateLimitModule,
      providers: [
        { provide: RateLimiter, useFactory: () => new RateLimiter(settings, database, registry) },
        {
          provide: RateLimitGuard,
          useFactory: (limiter: RateLimiter) => new RateLimitGuard(limiter, settings),
          inject: [RateLimiter],
        },
        { provide: APP_GUARD, useExisting: RateLimitGuard },
      ],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    atUndecodablePaths(consumer, (request, response) => this.guard.admit(request, response));
  }
}
