import { type DynamicModule, Module } from '@nestjs/common';
import type { Database } from '../database/database.js';
import type { Registry } from 'prom-client';
import type { BookingsRepository } from '../bookings/bookings.repository.js';
import { AnnouncedBookings } from './announced-bookings.repository.js';
import { EventMetrics } from './event-metrics.js';
import type { EventStore } from './event-store.js';
import { InMemoryEventStore } from './in-memory-event-store.js';
import { Sender, type EventSettings } from './sender.js';

export interface EventsOptions extends EventSettings {
  /** Where bookings are kept; in memory where it is not set. */
  readonly database: Database | undefined;
  /** Where the metrics are registered. */
  readonly registry: Registry;
  /** Milliseconds that attempts under way have when the service stops. */
  readonly stopPatience: number;
}

/** Tells the operator's endpoints of bookings. Nest starts the sender and stops it. */
@Module({})
export class EventsModule {
  /** @returns the module, and what has the sender told of the bookings that this process makes */
  static async forRoot(options: EventsOptions): Promise<{
    module: DynamicModule;
    announce: (store: BookingsRepository) => BookingsRepository;
  }> {
    const { database, registry, stopPatience } = options;
    const inMemory = database === undefined ? new InMemoryEventStore() : undefined;
    const store = inMemory ?? (await openStore(database!));
    const sender = new Sender(store, options, new EventMetrics(store, registry), stopPatience);
    return {
      module: { module: EventsModule, providers: [{ provide: Sender, useValue: sender }] },
      announce: (bookings) =>
        new AnnouncedBookings(bookings, (booking) => {
          inMemory?.add(booking);
          sender.nudge();
        }),
    };
  }
}

async function openStore(database: Database): Promise<EventStore> {
  const { PostgresEventStore } = await import('./postgres-event-store.js');
  return new PostgresEventStore(database);
}
