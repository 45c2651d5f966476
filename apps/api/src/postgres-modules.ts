import type { StoreModule } from './bookings/bookings.module.js';
import { PostgresModule } from './bookings/postgres/postgres.module.js';
import type { EventSettings } from './features/events/endpoint-worker.js';
import { EventsModule } from './features/events/events.module.js';
import type { DatabaseSettings } from './platform/database/database.js';
import { DatabaseModule } from './platform/database/database.module.js';
import { schema } from './schema.js';

/**
 * The modules of a service on PostgreSQL, in a file of their own, so that `create-app.ts` can import them on demand.
 */
export function postgresModules(
  database: Omit<DatabaseSettings, 'schema'>,
  events: EventSettings | undefined,
): StoreModule[] {
  return [DatabaseModule.forRoot({ ...database, schema }), PostgresModule, EventsModule.forRoot(events)];
}
