import type { DynamicModule } from '@nestjs/common';
import { PostgresModule } from './bookings/postgres/postgres.module.js';
import type { Config } from './config/config.js';
import { DatabaseModule } from './platform/database/database.module.js';
import type { DatabaseSettings } from './platform/database/database.js';
import { EventsModule } from './features/events/events.module.js';

/** The modules of a deployment on PostgreSQL: the store, and events where there are endpoints. */
export function onPostgres(settings: DatabaseSettings, events: Config['events']): DynamicModule[] {
  // One object for both: Nest would connect twice for two.
  const database = DatabaseModule.forRoot(settings);
  return [PostgresModule.forRoot(database), ...(events ? [EventsModule.forRoot(events, database)] : [])];
}
