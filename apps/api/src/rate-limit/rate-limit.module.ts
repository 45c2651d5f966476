import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { Database } from '../postgres/database.js';
import { RateLimitGuard } from './rate-limit.guard.js';
import type { RateLimitSettings } from './rate-limit-settings.js';
import { RateLimiter } from './rate-limiter.js';

/** Imported after whatever says who the caller is: guards run in the order of their modules. */
@Module({})
export class RateLimitModule {
  static with(settings: RateLimitSettings, database: Database | undefined): DynamicModule {
    const limiter = new RateLimiter(settings, database);
    return {
      module: RateLimitModule,
      providers: [
        { provide: RateLimiter, useValue: limiter },
        { provide: APP_GUARD, useValue: new RateLimitGuard(limiter, settings) },
      ],
    };
  }
}
