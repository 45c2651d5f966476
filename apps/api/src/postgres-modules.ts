import type { StoreModule } from './bookings/bookings.module.js';
import { PostgresModule } from './bookings/postgres/postgres.module.js';
import type { Config } from './config/config.js';
import { EventsModule } from './features/events/events.module.js';
import { DatabaseModule } from './platform/database/database.module.js';
import { schemaNeeds } from './schema-needs.js';

/**
 * The modules of a service on PostgreSQL, in a file of their own, so that `create-app.ts` can import them on demand.
 */
export function postgresModules(database: NonNullable<Config['database']>, events: Config['events']): StoreModule[] {
  return [DatabaseModule.forRoot({ ...database, needs: schemaNeeds }), PostgresModule, EventsModule.forRoot(events)];
}
