import { type DynamicModule, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Registry } from 'prom-client';
import type { HttpAdapter } from '../../edge/http-adapter.js';
import type { Log } from '../../platform/observability/logger.js';
import { Metrics } from '../../platform/observability/metrics.js';
import { MonitoringController } from './monitoring.controller.js';
import { Readiness } from '../../platform/observability/readiness.js';
import { RequestLog, type RequestLogSettings } from './request-log.js';

export interface ObservabilityOptions {
  /** Of the service. */
  readonly version: string;
  readonly log: Log;
  readonly requests: RequestLogSettings;
}

/** Health, metrics and the request log. Global: other modules register their metrics in `Registry`, and what they need in `Readiness`. */
@Module({})
export class ObservabilityModule implements OnModuleInit {
  constructor(
    private readonly server: HttpAdapterHost<HttpAdapter>,
    private readonly metrics: Metrics,
    private readonly log: RequestLog,
  ) {}

  static forRoot({ version, log, requests }: ObservabilityOptions): DynamicModule {
    return {
      module: ObservabilityModule,
      global: true,
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
        { provide: Readiness, useFactory: (metrics: Metrics) => new Readiness(log, metrics), inject: [Metrics] },
      ],
      exports: [Registry, Readiness, RequestLog],
    };
  }

  onModuleInit(): void {
    const { httpAdapter } = this.server;
    httpAdapter.connections.observer = this.log;
    this.metrics.watchServer(httpAdapter);
  }
}
