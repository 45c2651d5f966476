import { type DynamicModule, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Metrics } from './metrics.js';

/** The registry of one application. Global: other modules inject `Registry` and register their metrics in it. */
@Module({})
export class MetricsModule {
  /** @param version of the service */
  static forRoot(version: string): DynamicModule {
    const metrics = new Metrics(version);
    return {
      module: MetricsModule,
      global: true,
      providers: [
        { provide: Metrics, useValue: metrics },
        { provide: Registry, useValue: metrics.registry },
      ],
      exports: [Metrics, Registry],
    };
  }
}
