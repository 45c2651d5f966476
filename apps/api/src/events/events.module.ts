import { type DynamicModule, Module } from '@nestjs/common';
import { BookingsListener } from '../bookings/bookings.listener.js';
import { EventMetrics } from './event-metrics.js';
import { EventStore } from './event-store.js';
import { InMemoryEventStore } from './in-memory-event-store.js';
import { type EventSettings, Sender } from './sender.js';

/** Notifies the operator's endpoints of bookings. Nest starts the sender and stops it. */
@Module({})
export class EventsModule {
  /**
   * @param database the module that bookings are kept by; in memory where it is not set
   * @param shutdownTimeout milliseconds that attempts under way have when the service stops
   */
  static async forRoot(
    settings: EventSettings,
    database: DynamicModule | undefined,
    shutdownTimeout: number,
  ): Promise<DynamicModule> {
    return {
      module: EventsModule,
      imports: database === undefined ? [] : [database],
      providers: [
        { provide: EventStore, useClass: database === undefined ? InMemoryEventStore : await postgresEventStore() },
        EventMetrics,
        {
          provide: Sender,
          useFactory: (store: EventStore, metrics: EventMetrics) =>
            new Sender(store, settings, metrics, shutdownTimeout),
          inject: [EventStore, EventMetrics],
        },
        {
          provide: BookingsListener,
          useFactory: (store: EventStore, sender: Sender): BookingsListener => ({
            created: (booking) => {
              if (store instanceof InMemoryEventStore) store.add(booking);
              sender.nudge();
            },
          }),
          inject: [EventStore, Sender],
        },
      ],
      exports: [BookingsListener],
    };
  }
}

async function postgresEventStore() {
  const { PostgresEventStore } = await import('./postgres-event-store.js');
  return PostgresEventStore;
}
