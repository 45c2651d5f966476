import { type DynamicModule, Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import type { Log } from './logger.js';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';
import { PageMethodsController } from './page-methods.controller.js';
import { RequestLog, type RequestLogSettings } from './request-log.js';
import { Lifecycle } from './shutdown.js';

/** Health, metrics and the log of requests. */
@Module({})
export class ObservabilityModule {
  static forRoot(log: Log, settings: RequestLogSettings, metrics: Metrics): DynamicModule {
    return {
      module: ObservabilityModule,
      controllers: [HealthController, MetricsController, PageMethodsController],
      providers: [
        Lifecycle,
        { provide: Metrics, useValue: metrics },
        {
          provide: RequestLog,
          useFactory: (lifecycle: Lifecycle) => new RequestLog(log, settings, lifecycle, metrics.problems),
          inject: [Lifecycle],
        },
      ],
      exports: [RequestLog],
    };
  }
}
