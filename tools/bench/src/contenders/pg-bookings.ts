import { hash } from 'node:crypto';
import pg from 'pg';
import type { Payload } from './bookings-map.js';

/** Connections of each contender: the default of the service. */
export const POOL_SIZE = 10;
export const PAGE = 20;

/** The table of the contenders on PostgreSQL. */
const TABLE = `CREATE TABLE IF NOT EXISTS bookings (
  booking_id uuid PRIMARY KEY,
  resource_id text,
  slot_start bigint,
  slot_end bigint,
  idempotency_key text UNIQUE,
  json text NOT NULL
)`;

/** That of the service, under its own name. */
const CONSTRAINT = `ALTER TABLE bookings ADD CONSTRAINT slots_never_overlap EXCLUDE USING gist (
  hashtextextended(resource_id, 0) WITH =, int8range(slot_start, slot_end, '[)') WITH &&, resource_id WITH =
) WHERE (resource_id IS NOT NULL)`;

/** What a check before the insert needs instead. */
const INDEX = 'CREATE INDEX bookings_by_slot ON bookings (resource_id, slot_start)';

/** @param overlaps what keeps slots from overlapping: a constraint, or a query before the insert */
export async function createTable(overlaps: 'constraint' | 'check'): Promise<void> {
  const client = new pg.Client(process.env['DATABASE_URL']);
  await client.connect();
  const { rows } = await client.query<{ table: string | null }>(`SELECT to_regclass('bookings') AS table`);
  if (rows[0]!.table === null) {
    await client.query('CREATE EXTENSION IF NOT EXISTS btree_gist');
    await client.query(TABLE);
    await client.query(overlaps === 'constraint' ? CONSTRAINT : INDEX);
  }
  await client.end();
}

/** A row of the table, of a payload. */
export function rowOf(bookingId: string, { slot, ...details }: Payload, key: string | undefined) {
  const created = { booking_id: bookingId, created_at: new Date().toISOString(), ...(slot && { slot }), ...details };
  return {
    bookingId,
    resourceId: slot?.resource_id ?? null,
    slotStart: slot === undefined ? null : Date.parse(slot.start),
    slotEnd: slot === undefined ? null : Date.parse(slot.end),
    idempotencyKey: key ?? null,
    json: JSON.stringify(created),
  };
}

/** A statement that the server plans once for each connection. */
export function prepared(text: string): { name: string; text: string } {
  return { name: hash('md5', text), text };
}
