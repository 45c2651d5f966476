import { promisify } from 'node:util';
import { type DynamicModule, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Registry } from 'prom-client';
import type { HttpAdapter } from '../../edge/http-adapter.js';
import type { Log } from '../../platform/observability/logger.js';
import { Metrics } from '../../platform/observability/metrics.js';
import { Readiness } from '../../platform/observability/readiness.js';
import { MonitoringController } from './monitoring.controller.js';
import { RequestLog, type RequestLogSettings } from './request-log.js';

/** Health and metrics for others, and the log and the metrics of requests. */
@Module({})
export class MonitoringModule implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost<HttpAdapter>,
    private readonly metrics: Metrics,
    private readonly log: RequestLog,
  ) {}

  static forRoot(log: Log, requests: RequestLogSettings): DynamicModule {
    return {
      module: MonitoringModule,
      controllers: [MonitoringController],
      providers: [
        {
          provide: RequestLog,
          useFactory: (readiness: Readiness, registry: Registry) => new RequestLog(log, requests, readiness, registry),
          inject: [Readiness, Registry],
        },
      ],
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
