import { Global, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Metrics } from './metrics.js';

/** The registry of one application. Global: other modules inject `Registry` and register their metrics in it. */
@Global()
@Module({
  providers: [Metrics, { provide: Registry, useFactory: ({ registry }: Metrics) => registry, inject: [Metrics] }],
  exports: [Metrics, Registry],
})
export class MetricsModule {}
