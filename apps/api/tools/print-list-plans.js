/** Prints the SQL of each list, and its plan in the database of DATABASE_URL for a page around the latest slot. */
import { pageStatement } from '../src/bookings/postgres/list-statements.ts';
import { runCommand } from '../src/cli/command.ts';
import { databaseSettings } from '../src/cli/with-database.ts';
import { withConnection, withSessionSettings } from '../src/platform/database/connection.ts';

const LIMIT = 21;
const DAY = 86_400_000;

const LATEST = `SELECT resource_id AS "resourceId", booking_id AS "bookingId", slot_start::float8 AS start
  FROM bookings WHERE slot_start IS NOT NULL ORDER BY booking_id DESC LIMIT 1`;
const ANY = { resourceId: '', bookingId: '00000000-0000-7000-8000-000000000000', start: 0 };

function listsAround({ resourceId, start }) {
  const window = { from: start - DAY, to: start + DAY };
  const lists = [{}, { sort: 'created_at' }, { window }];
  return [...lists, ...lists.map((list) => Object.assign({ resourceId }, list))];
}

const work = async () => {
  const database = databaseSettings();
  const lists = [];
  await withConnection({ ...database, url: withSessionSettings(database) }, async (client) => {
    const { rows } = await client.query(LATEST);
    const sample = rows[0] ?? ANY;
    for (const filter of listsAround(sample)) {
      const [{ text }, values] = pageStatement('ofShares', filter, { limit: LIMIT, after: sample });
      const explained = `EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) ${text}`;
      const { rows: plan } = await client.query(explained, values);
      const lines = plan.map((line) => line['QUERY PLAN']).join('\n');
      lists.push(`-- ${JSON.stringify(filter)}\n${text};\n${lines}\n`);
    }
  });
  return lists.join('\n');
};

await runCommand(work, '', 'The lists cannot be shown');
