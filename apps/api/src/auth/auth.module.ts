import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { AuthSettings } from './auth-settings.js';
import { BearerGuard } from './bearer.guard.js';
import { TokenVerifier } from './token-verifier.js';

/** Makes the service require tokens. Without this module no guard runs. */
@Module({})
export class AuthModule {
  static forRoot(settings: AuthSettings): DynamicModule {
    return {
      module: AuthModule,
      providers: [
        { provide: TokenVerifier, useFactory: () => new TokenVerifier(settings) },
        { provide: APP_GUARD, useClass: BearerGuard },
      ],
      exports: [TokenVerifier],
    };
  }
}
