import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { uuidv7 } from 'uuidv7';

// The fastest that PostgreSQL allows: Node's own server, `pg`, prepared statements, and the service's constraint.
const PATH = '/v1/bookings';
const GET = { name: 'get', text: 'SELECT json FROM bookings WHERE booking_id = $1' };
const LIST = { name: 'list', text: 'SELECT json FROM bookings ORDER BY booking_id DESC LIMIT 20' };
const CREATE = { name: 'create', text: 'INSERT INTO bookings VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING' };
const TABLE = `
  CREATE EXTENSION btree_gist;
  CREATE TABLE bookings (
    booking_id uuid PRIMARY KEY, resource_id text, slot_start bigint, slot_end bigint, json text NOT NULL,
    idempotency_key text UNIQUE,
    CONSTRAINT slots_never_overlap EXCLUDE USING gist (
      hashtextextended(resource_id, 0) WITH =, int8range(slot_start, slot_end, '[)') WITH &&, resource_id WITH =
    ) WHERE (resource_id IS NOT NULL)
  )`;

// The service's default number of connections. Idle ones stay open: the CPU time of closed ones would be lost.
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 6, idleTimeoutMillis: 0 });
await pool.query(TABLE);

const server = createServer((request, response) => void respond(request, response)).listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`Booking service (preview) on http://127.0.0.1:${port}\n`);
});

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [status, json] = request.method === 'POST' ? await create(await text(request)) : await read(request.url!);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) });
  response.end(json);
}

async function read(url: string): Promise<[status: number, json: string]> {
  const statement = url === PATH ? LIST : { ...GET, values: [url.slice(PATH.length + 1)] };
  const { rows } = await pool.query<{ json: string }>(statement);
  if (url === PATH) return [200, `{"bookings":[${rows.map(({ json }) => json).join(',')}]}`];
  return rows[0] === undefined ? [404, '{"title":"Not found"}'] : [200, rows[0].json];
}

async function create(body: string): Promise<[status: number, json: string]> {
  const payload = JSON.parse(body) as { slot: { resource_id: string; start: string; end: string } };
  const { resource_id: resource, start, end } = payload.slot;
  const id = uuidv7();
  const json = JSON.stringify({ booking_id: id, created_at: new Date().toISOString(), ...payload });
  const { rowCount } = await pool.query({
    ...CREATE,
    values: [id, resource, Date.parse(start), Date.parse(end), json],
  });
  return rowCount === 1 ? [201, json] : [409, '{"title":"The slot is taken"}'];
}
