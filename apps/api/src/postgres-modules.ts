import type { DynamicModule } from '@nestjs/common';
import { PostgresModule } from './bookings/postgres/postgres.module.js';
import type { Config } from './config/config.js';
import { DatabaseModule } from './platform/database/database.module.js';
import type { DatabaseSettings } from './platform/database/database.js';
import { EventsModule } from './features/events/events.module.js';

export function postgresModules(settings: DatabaseSettings, events: Config['events']): DynamicModule[] {
  // Shared: Nest would open a second pool for a second dynamic module.
  const database = DatabaseModule.forRoot(settings);
  return [PostgresModule.forRoot(database), ...(events ? [EventsModule.forRoot(events, database)] : [])];
}
