import type { SchemaNeeds } from '../../platform/database/schema-check.js';

/** What the service needs from the table of `migrations/0001_bookings.sql`. */
export const bookingsNeeds: SchemaNeeds = {
  rights: { bookings: ['SELECT', 'INSERT'] },
  faults: [
    {
      find: `SELECT name
        FROM (VALUES ('slots_never_overlap', 'x'), ('one_booking_for_a_key', 'u')) AS needed (name, type)
        WHERE NOT EXISTS (
          SELECT FROM pg_constraint JOIN pg_index ON indexrelid = conindid
          WHERE conrelid = to_regclass('bookings') AND conname = name AND contype = type::"char" AND NOT condeferrable
            AND indisvalid
        )`,
      sentence: (names) =>
        `the table bookings lacks ${names}, and could take a slot or a key twice. ` +
        'See "Restore a backup" in docs/runbook.md.',
    },
    {
      find: `SELECT string_agg(nspname, ' and ') AS name
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE relname = 'slots_never_overlap' AND nspname = ANY (current_schemas(false)) HAVING count(*) > 1`,
      sentence: (schemas) =>
        `the search_path of the role leads to the bookings of ${schemas}: constraints that one of them lacks would ` +
        'be found in the other. See "Tenants" in docs/deployment.md.',
    },
  ],
};
