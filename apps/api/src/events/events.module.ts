import { type DynamicModule, Module } from '@nestjs/common';
import { BookingsListener } from '../bookings/bookings.listener.js';
import { DeliveryStore } from './delivery-store.js';
import { EventDispatcher } from './event-dispatcher.js';
import { EventMetrics } from './event-metrics.js';
import { EVENT_SETTINGS, type EventSettings } from './event-settings.js';

/** Notifies the operator's endpoints of bookings. */
@Module({})
export class EventsModule {
  /** @param database the module of the database that bookings are kept in */
  static forRoot(settings: EventSettings, database: DynamicModule): DynamicModule {
    return {
      module: EventsModule,
      imports: [database],
      providers: [
        { provide: EVENT_SETTINGS, useValue: settings },
        DeliveryStore,
        EventMetrics,
        EventDispatcher,
        { provide: BookingsListener, useExisting: EventDispatcher },
      ],
      exports: [BookingsListener],
    };
  }
}
