import type { SchemaNeeds } from '../../platform/database/schema-check.js';

/**
 * What the service needs from the schema of `migrations/0002_events.sql`, even without endpoints: its triggers run with
 * every create and every deletion.
 */
export const eventsNeeds: SchemaNeeds = {
  rights: {
    webhook_endpoints: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    webhook_deliveries: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  },
  faults: [
    {
      find: `SELECT name FROM unnest('{record_created_bookings,record_deleted_bookings}'::text[]) AS name
        WHERE NOT EXISTS (
          SELECT FROM pg_trigger WHERE tgrelid = to_regclass('bookings') AND tgname = name AND tgenabled IN ('O', 'A')
        )`,
      sentence: (names) =>
        `the table bookings lacks the trigger ${names}, or has it disabled, and would lose events. ` +
        'See "A constraint is missing" in docs/runbook.md.',
    },
  ],
};
