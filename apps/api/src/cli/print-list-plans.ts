import { sortOrders } from '@booking-service/contracts';
import { MAX_PAGE_BYTES } from '../bookings/bookings.repository.js';
import { listParts, pageStatement } from '../bookings/postgres/list-statements.js';
import type { Page } from '../bookings/postgres/list-texts.js';
import { withConnection, withSessionSettings } from '../database/connection.js';
import { runCommand } from './command.js';
import { databaseSettings } from './with-database.js';

/** Prints the SQL of each list, and how the database of DATABASE_URL reads a page of it around its latest slot. */
const LIMIT = 21;
const DAY = 86_400_000;

interface Sample {
  readonly resourceId: string;
  readonly bookingId: string;
  readonly start: number;
}

const LATEST = `SELECT resource_id AS "resourceId", booking_id AS "bookingId", slot_start::float8 AS start
  FROM bookings WHERE slot_start IS NOT NULL ORDER BY booking_id DESC LIMIT 1`;
const ANY: Sample = { resourceId: '', bookingId: '00000000-0000-7000-8000-000000000000', start: 0 };

function pagesAround({ resourceId, bookingId, start }: Sample): Page[] {
  return sortOrders.flatMap((sort) =>
    [{}, { resourceId }].flatMap((of) =>
      [{}, { from: start - DAY, to: start + DAY }].flatMap((window): Page[] => {
        const first = { filter: { sort, ...of, ...window }, limit: LIMIT, room: MAX_PAGE_BYTES };
        return [first, { ...first, after: { at: sort.endsWith('start') ? start : null, bookingId } }];
      }),
    ),
  );
}

const work = async (): Promise<string> => {
  const database = databaseSettings();
  const lists: string[] = [];
  await withConnection({ ...database, url: withSessionSettings(database) }, async (client) => {
    const { rows } = await client.query<Sample>(LATEST);
    for (const page of pagesAround(rows[0] ?? ANY)) {
      const part = listParts(page.filter, page.after)[0]!;
      const { statement, values } = pageStatement(part, page);
      const explained = `EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) ${statement.text}`;
      const { rows: plan } = await client.query<{ 'QUERY PLAN': string }>(explained, values);
      const lines = plan.map((line) => line['QUERY PLAN']).join('\n');
      const later = page.after === undefined ? '' : ', later';
      lists.push(`-- ${part}, ${page.filter.sort}${later}\n${statement.text};\n${lines}\n`);
    }
  });
  return lists.join('\n');
};

await runCommand(work, '', 'The lists cannot be shown');
