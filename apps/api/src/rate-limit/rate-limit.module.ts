import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { RateLimitGuard, type RateLimitSettings } from './rate-limit.guard.js';

/** Imported after the module that authenticates: guards run in the order of their modules. */
@Module({})
export class RateLimitModule {
  static forRoot(settings: RateLimitSettings): DynamicModule {
    return {
      module: RateLimitModule,
      providers: [{ provide: APP_GUARD, useFactory: () => new RateLimitGuard(settings) }],
    };
  }
}
