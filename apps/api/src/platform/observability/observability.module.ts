import { type DynamicModule, Module } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import type { Log } from './logger.js';
import { Metrics } from './metrics.js';
import { Readiness } from './readiness.js';

interface ObservabilityOptions {
  /** The first part of the name of the metric `…_build_info`. */
  readonly name: string;
  readonly version: string;
  readonly log: Log;
}

/** What every other module reports to: metrics, and whether what the service needs is there. */
@Module({})
export class ObservabilityModule {
  static forRoot({ name, version, log }: ObservabilityOptions): DynamicModule {
    return {
      module: ObservabilityModule,
      global: true,
      providers: [
        { provide: Metrics, useFactory: () => metricsOf(name, version) },
        { provide: Registry, useFactory: ({ registry }: Metrics) => registry, inject: [Metrics] },
        { provide: Readiness, useFactory: (metrics: Metrics) => new Readiness(log, metrics), inject: [Metrics] },
      ],
      exports: [Metrics, Registry, Readiness],
    };
  }
}

function metricsOf(name: string, version: string): Metrics {
  const metrics = new Metrics();
  new Gauge({
    name: `${name}_build_info`,
    help: 'Always 1; the labels are the versions of the interface and of Node',
    labelNames: ['version', 'node'],
    registers: [metrics.registry],
  }).set({ version, node: process.version }, 1);
  return metrics;
}
