import { type DynamicModule, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { atUndecodablePaths } from '../http/routes.js';
import { ApiKeys } from './api-keys.js';
import type { AuthSettings } from './auth-settings.js';
import { BearerGuard } from './bearer.guard.js';
import { OidcTokens } from './oidc-tokens.js';
import { EitherToken, TokenVerifier } from './token-verifier.js';

/** Makes the service require tokens. Without this module no guard runs. */
@Module({})
export class AuthModule implements NestModule {
  constructor(private readonly guard: BearerGuard) {}

  static forRoot(settings: AuthSettings): DynamicModule {
    return {
      module: AuthModule,
      providers: [
        { provide: TokenVerifier, useFactory: () => tokenVerifier(settings) },
        BearerGuard,
        { provide: APP_GUARD, useExisting: BearerGuard },
      ],
      exports: [TokenVerifier],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    atUndecodablePaths(consumer, (request) => this.guard.admit(request));
  }
}

function tokenVerifier({ apiKeysFile, oidc }: AuthSettings): TokenVerifier {
  if (apiKeysFile === undefined) return new OidcTokens(oidc);
  const apiKeys = new ApiKeys(apiKeysFile);
  return oidc === undefined ? apiKeys : new EitherToken(apiKeys, new OidcTokens(oidc));
}
