import { type DynamicModule, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { atUndecodablePaths } from '../http/routes.js';
import { RateLimitGuard, type RateLimitSettings } from './rate-limit.guard.js';

/** Imported after the module that authenticates: guards and middleware run in the order of their modules. */
@Module({})
export class RateLimitModule implements NestModule {
  constructor(private readonly guard: RateLimitGuard) {}

  static forRoot(settings: RateLimitSettings): DynamicModule {
    return {
      module: RateLimitModule,
      providers: [
        { provide: RateLimitGuard, useValue: new RateLimitGuard(settings) },
        { provide: APP_GUARD, useExisting: RateLimitGuard },
      ],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    atUndecodablePaths(consumer, (request, response) => this.guard.admit(request, response));
  }
}
