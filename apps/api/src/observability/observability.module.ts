import { type DynamicModule, type InjectionToken, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Registry } from 'prom-client';
import type { HttpAdapter } from '../http/http-adapter.js';
import type { Log } from './logger.js';
import { Metrics } from './metrics.js';
import { MonitoringController } from './monitoring.controller.js';
import { type Dependency, Readiness } from './readiness.js';
import { RequestLog, type RequestLogSettings } from './request-log.js';

/** A {@link Dependency} by the provider that has its check. */
export interface CheckedProvider extends Omit<Dependency, 'check'> {
  readonly provider: InjectionToken<{ checkReady(): Promise<void> }>;
}

export interface ObservabilityOptions {
  /** Of the service. */
  readonly version: string;
  readonly log: Log;
  readonly requests: RequestLogSettings;
  readonly dependencies: readonly CheckedProvider[];
  /** Export the providers of the dependencies. */
  readonly imports: DynamicModule[];
}

/** Health, metrics and the request log. Global: other modules inject `Registry` and register their metrics in it. */
@Module({})
export class ObservabilityModule implements OnModuleInit {
  constructor(
    private readonly server: HttpAdapterHost<HttpAdapter>,
    private readonly metrics: Metrics,
    private readonly log: RequestLog,
    private readonly readiness: Readiness,
  ) {}

  static forRoot({ version, log, requests, dependencies, imports }: ObservabilityOptions): DynamicModule {
    return {
      module: ObservabilityModule,
      global: true,
      imports,
      controllers: [MonitoringController],
      providers: [
        { provide: Metrics, useFactory: () => new Metrics(version) },
        { provide: Registry, useFactory: ({ registry }: Metrics) => registry, inject: [Metrics] },
        {
          provide: RequestLog,
          useFactory: ({ httpAdapter }: HttpAdapterHost<HttpAdapter>, metrics: Metrics) =>
            new RequestLog(log, requests, httpAdapter, metrics),
          inject: [HttpAdapterHost, Metrics],
        },
        {
          provide: Readiness,
          useFactory: (...providers: { checkReady(): Promise<void> }[]) =>
            new Readiness(
              dependencies.map((dependency, n) => ({ ...dependency, check: () => providers[n]!.checkReady() })),
              log,
            ),
          inject: dependencies.map(({ provider }) => provider),
        },
      ],
      exports: [Registry, RequestLog],
    };
  }

  onModuleInit(): void {
    const { metrics, readiness } = this;
    const { httpAdapter } = this.server;
    httpAdapter.connections.observer = this.log;
    metrics.watchServer(httpAdapter);
    for (const { name } of readiness.dependencies) {
      const help = `Whether the ${name} responded when it was last polled, once a second`;
      metrics.watch(`${name}_up`, help, () => (readiness.missing.includes(name) ? 0 : 1));
    }
  }
}
