import { promisify } from 'node:util';
import { type DynamicModule, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Gauge, Registry } from 'prom-client';
import type { HttpAdapter } from '../../edge/http-adapter.js';
import type { Log } from '../../platform/observability/logger.js';
import { Metrics } from '../../platform/observability/metrics.js';
import { Readiness } from '../../platform/observability/readiness.js';
import { MonitoringController } from './monitoring.controller.js';
import { RequestLog, type RequestLogSettings } from './request-log.js';

interface MonitoringOptions {
  readonly version: string;
  readonly log: Log;
  readonly requests: RequestLogSettings;
}

/** Health, metrics and the request log. Global, since other modules use `Metrics`, `Registry` and `Readiness`. */
@Module({})
export class MonitoringModule implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost<HttpAdapter>,
    private readonly metrics: Metrics,
    private readonly log: RequestLog,
  ) {}

  static forRoot({ version, log, requests }: MonitoringOptions): DynamicModule {
    return {
      module: MonitoringModule,
      global: true,
      controllers: [MonitoringController],
      providers: [
        { provide: Metrics, useFactory: () => metricsOf(version) },
        { provide: Registry, useFactory: ({ registry }: Metrics) => registry, inject: [Metrics] },
        {
          provide: RequestLog,
          useFactory: (readiness: Readiness, registry: Registry) => new RequestLog(log, requests, readiness, registry),
          inject: [Readiness, Registry],
        },
        { provide: Readiness, useFactory: (metrics: Metrics) => new Readiness(log, metrics), inject: [Metrics] },
      ],
      exports: [Metrics, Registry, Readiness, RequestLog],
    };
  }

  onModuleInit(): void {
    const { metrics } = this;
    const { httpAdapter } = this.host;
    const { server } = httpAdapter;
    httpAdapter.observer = this.log;
    const inFlight = 'Requests being handled';
    metrics.watch('http_requests_in_flight', inFlight, () => server.requestsInFlight);
    const count = promisify(server.http.getConnections.bind(server.http));
    metrics.watch('http_connections', 'Open connections from clients', count);
    const most = 'Maximum number of open connections from clients';
    metrics.watch('http_max_connections', most, () => server.http.maxConnections);
  }
}

function metricsOf(version: string): Metrics {
  const metrics = new Metrics();
  new Gauge({
    name: 'booking_service_build_info',
    help: 'Always 1; the labels are the versions of the interface and of Node',
    labelNames: ['version', 'node'],
    registers: [metrics.registry],
  }).set({ version, node: process.version }, 1);
  return metrics;
}
