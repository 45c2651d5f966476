import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Gauge, Registry } from 'prom-client';
import { ApiKeys } from './api-keys.js';
import type { AuthSettings, OidcSettings } from './auth-settings.js';
import { BearerGuard } from './bearer.guard.js';
import { OidcTokens } from './oidc-tokens.js';
import { EitherToken, TokenVerifier } from './token-verifier.js';

/** Makes the service require tokens. Without this module no guard runs. */
@Module({})
export class AuthModule {
  static forRoot(settings: AuthSettings): DynamicModule {
    return {
      module: AuthModule,
      providers: [
        {
          provide: TokenVerifier,
          useFactory: (registry: Registry) => tokenVerifier(settings, registry),
          inject: [Registry],
        },
        { provide: APP_GUARD, useClass: BearerGuard },
      ],
      exports: [TokenVerifier],
    };
  }
}

function tokenVerifier({ apiKeysFile, oidc }: AuthSettings, registry: Registry): TokenVerifier {
  if (apiKeysFile === undefined) return oidcTokens(oidc, registry);
  const apiKeys = new ApiKeys(apiKeysFile);
  return oidc === undefined ? apiKeys : new EitherToken(apiKeys, oidcTokens(oidc, registry));
}

function oidcTokens(settings: OidcSettings, registry: Registry): OidcTokens {
  const tokens = new OidcTokens(settings);
  const age: Gauge = new Gauge({
    name: 'oidc_keys_age_seconds',
    help: "Time since the issuer's keys were fetched",
    registers: [registry],
    collect: () => (tokens.keysAge === undefined ? age.remove() : age.set(tokens.keysAge)),
  });
  return tokens;
}
