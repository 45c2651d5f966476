import { type DynamicModule, Inject, Module, Optional } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { TokenVerifier } from '../auth/token-verifier.js';
import { BookingsRepository } from '../bookings/bookings.repository.js';
import type { HttpAdapter } from '../http/http-adapter.js';
import { HealthController } from './health.controller.js';
import { type Log, LOG } from './logger.js';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';
import { DEPENDENCIES, type Dependency, Readiness } from './readiness.js';
import { REQUEST_LOG_SETTINGS, RequestLog, type RequestLogSettings, requestObserver } from './request-log.js';
import { Lifecycle } from './shutdown.js';

export interface ObservabilityOptions {
  readonly log: Log;
  readonly requests: RequestLogSettings;
  /** Exports the {@link BookingsRepository}. */
  readonly bookings: DynamicModule;
  /** Whether bookings are kept in a database. */
  readonly hasDatabase: boolean;
  /** Exports the {@link TokenVerifier}; undefined if no tokens are required. */
  readonly auth: DynamicModule | undefined;
}

/** The name of the database among the dependencies. */
const DATABASE = 'database';

/** Health, metrics and the request log. */
@Module({})
export class ObservabilityModule {
  constructor(
    { httpAdapter }: HttpAdapterHost<HttpAdapter>,
    metrics: Metrics,
    log: RequestLog,
    readiness: Readiness,
    @Inject(DEPENDENCIES) dependencies: readonly Dependency[],
    @Optional() tokens?: TokenVerifier,
  ) {
    httpAdapter.observeRequests(requestObserver(metrics, log));
    metrics.watchServer(httpAdapter);
    if (dependencies.some(({ name }) => name === DATABASE)) {
      const isUp = (): number => (readiness.missing.includes(DATABASE) ? 0 : 1);
      metrics.watch('database_up', 'Whether the database responded when it was last polled, once a second', isUp);
    }
    if (tokens?.hasIssuer) {
      metrics.watch('oidc_keys_age_seconds', "Time since the issuer's keys were fetched", () => tokens.keysAge);
    }
  }

  static forRoot({ log, requests, bookings, hasDatabase, auth }: ObservabilityOptions): DynamicModule {
    return {
      module: ObservabilityModule,
      imports: auth === undefined ? [bookings] : [bookings, auth],
      controllers: [HealthController, MetricsController],
      providers: [
        Lifecycle,
        { provide: LOG, useValue: log },
        { provide: REQUEST_LOG_SETTINGS, useValue: requests },
        RequestLog,
        {
          provide: DEPENDENCIES,
          useFactory: (store: BookingsRepository, tokens?: TokenVerifier) => [
            ...(hasDatabase ? [{ name: DATABASE, isLogged: false, check: () => store.checkReady() }] : []),
            ...(tokens?.hasIssuer ? [issuerOf(tokens)] : []),
          ],
          inject: [BookingsRepository, { token: TokenVerifier, optional: true }],
        },
        Readiness,
      ],
      exports: [RequestLog],
    };
  }
}

function issuerOf(tokens: TokenVerifier): Dependency {
  return { name: 'issuer', isLogged: true, check: () => tokens.checkReady() };
}
