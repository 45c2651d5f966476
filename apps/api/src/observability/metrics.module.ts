import { Global, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Metrics } from './metrics.js';

/** The registry of one application. Global: a module that measures something injects `Registry` and registers it there. */
@Global()
@Module({
  providers: [Metrics, { provide: Registry, useFactory: ({ registry }: Metrics) => registry, inject: [Metrics] }],
  exports: [Metrics, Registry],
})
export class MetricsModule {}
