import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ApiKeys } from './api-keys.js';
import type { AuthSettings } from './auth-settings.js';
import { BearerGuard } from './bearer.guard.js';
import { EitherToken } from './either-token.js';
import { OidcTokens } from './oidc-tokens.js';
import { TokenVerifier } from './token-verifier.js';

/** Has the service ask for tokens. Where it does not, this module is not there, and no guard runs. */
@Module({})
export class AuthModule {
  static with(settings: AuthSettings): DynamicModule {
    return {
      module: AuthModule,
      providers: [
        { provide: TokenVerifier, useFactory: () => tokenVerifier(settings) },
        { provide: APP_GUARD, useClass: BearerGuard },
      ],
    };
  }
}

function tokenVerifier({ apiKeysFile, oidc }: AuthSettings): TokenVerifier {
  if (apiKeysFile === undefined) return new OidcTokens(oidc);
  const apiKeys = new ApiKeys(apiKeysFile);
  return oidc === undefined ? apiKeys : new EitherToken(apiKeys, new OidcTokens(oidc));
}
