import { type DynamicModule, Module } from '@nestjs/common';
import { BookingsListener } from '../../bookings/domain/bookings.repository.js';
import { Metrics } from '../../platform/observability/metrics.js';
import { DeliveryStore } from './delivery-store.js';
import type { EventSettings } from './endpoint-worker.js';
import { EventDispatcher } from './event-dispatcher.js';
import { EventMetrics } from './event-metrics.js';

@Module({})
export class EventsModule {
  /** @param settings undefined for no endpoints */
  static forRoot(settings: EventSettings | undefined): DynamicModule {
    return {
      module: EventsModule,
      providers: [
        DeliveryStore,
        EventMetrics,
        {
          provide: BookingsListener,
          useFactory: (store: DeliveryStore, metrics: EventMetrics, { validFiles }: Metrics) =>
            new EventDispatcher(store, metrics, validFiles.labels('WEBHOOKS_FILE'), settings),
          inject: [DeliveryStore, EventMetrics, Metrics],
        },
      ],
      exports: [BookingsListener],
    };
  }
}
