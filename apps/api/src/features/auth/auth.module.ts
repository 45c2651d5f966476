import { type DynamicModule, Module } from '@nestjs/common';
import { Metrics } from '../../platform/observability/metrics.js';
import { Readiness } from '../../platform/observability/readiness.js';
import type { AuthSettings } from './auth-settings.js';
import { TokenVerifier } from './token-verifier.js';

@Module({})
export class AuthModule {
  static forRoot(settings: AuthSettings): DynamicModule {
    const useFactory = (readiness: Readiness, metrics: Metrics): TokenVerifier => {
      const tokens = new TokenVerifier(settings, metrics);
      if (settings.oidc !== undefined) {
        readiness.watch(
          'issuer',
          () => tokens.checkReady(),
          () => tokens.isIssuerUp,
        );
      }
      return tokens;
    };
    return {
      module: AuthModule,
      providers: [{ provide: TokenVerifier, useFactory, inject: [Readiness, Metrics] }],
      exports: [TokenVerifier],
    };
  }
}
