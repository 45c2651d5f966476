import { type DynamicModule, Module } from '@nestjs/common';
import { BookingsListener } from '../bookings/bookings.listener.js';
import { EventMetrics } from './event-metrics.js';
import { EventSender } from './event-sender.js';
import { EVENT_SETTINGS, type EventSettings } from './event-settings.js';
import { EventStore } from './event-store.js';

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
        EventStore,
        EventMetrics,
        EventSender,
        { provide: BookingsListener, useExisting: EventSender },
      ],
      exports: [BookingsListener],
    };
  }
}
