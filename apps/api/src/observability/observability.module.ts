import { type DynamicModule, Module } from '@nestjs/common';
import { TokenVerifier } from '../auth/token-verifier.js';
import { BookingsRepository } from '../bookings/bookings.repository.js';
import { HealthController } from './health.controller.js';
import type { Log } from './logger.js';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';
import { type Dependency, Readiness } from './readiness.js';
import { RequestLog, type RequestLogSettings } from './request-log.js';
import { Lifecycle } from './shutdown.js';

/** Health, metrics and the log of requests. */
@Module({})
export class ObservabilityModule {
  /** @param hasDatabase whether bookings are kept in one */
  static forRoot(log: Log, settings: RequestLogSettings, metrics: Metrics, hasDatabase: boolean): DynamicModule {
    return {
      module: ObservabilityModule,
      controllers: [HealthController, MetricsController],
      providers: [
        Lifecycle,
        { provide: Metrics, useValue: metrics },
        {
          provide: RequestLog,
          useFactory: (lifecycle: Lifecycle) => new RequestLog(log, settings, lifecycle, metrics.problems),
          inject: [Lifecycle],
        },
        {
          provide: Readiness,
          useFactory: (bookings: BookingsRepository, tokens?: TokenVerifier) => {
            const database = { name: 'database', isLogged: false, check: () => bookings.checkReady() };
            return readiness(hasDatabase ? [database] : [], tokens, log, metrics);
          },
          inject: [BookingsRepository, { token: TokenVerifier, optional: true }],
        },
      ],
      exports: [RequestLog],
    };
  }
}

function readiness(stores: Dependency[], tokens: TokenVerifier | undefined, log: Log, metrics: Metrics): Readiness {
  const dependencies = [...stores];
  if (tokens?.hasIssuer === true) {
    dependencies.push({ name: 'issuer', isLogged: true, check: () => tokens.checkReady() });
    metrics.watch('oidc_keys_age_seconds', "Time since the issuer's keys were fetched", () => tokens.keysAge);
  }
  const state = new Readiness(dependencies, log);
  if (stores.length > 0) {
    const isUp = (): number => (state.missing.includes('database') ? 0 : 1);
    metrics.watch('database_up', 'Whether the database responded when it was last looked at, once a second', isUp);
  }
  return state;
}
