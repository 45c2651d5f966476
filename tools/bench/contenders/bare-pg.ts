import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { uuidv7 } from 'uuidv7';

// The limit on PostgreSQL: Node's own server, `pg`, prepared statements, and the constraint of the service.
const PATH = '/v1/bookings';
const GET = prepared('SELECT json FROM bookings WHERE booking_id = $1');
const LIST = prepared('SELECT json FROM bookings ORDER BY booking_id DESC LIMIT 20');
const OF_KEY = prepared('SELECT json FROM bookings WHERE idempotency_key = $1');
const INSERT = prepared('INSERT INTO bookings VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING');

// The constraint is that of the service, under its own name.
const TABLE = `
  CREATE EXTENSION btree_gist;
  CREATE TABLE bookings (
    booking_id uuid PRIMARY KEY, resource_id text, slot_start bigint, slot_end bigint, idempotency_key text UNIQUE,
    json text NOT NULL,
    CONSTRAINT slots_never_overlap EXCLUDE USING gist (
      hashtextextended(resource_id, 0) WITH =, int8range(slot_start, slot_end, '[)') WITH &&, resource_id WITH =
    ) WHERE (resource_id IS NOT NULL)
  )`;

// As many connections as the service has by default.
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });
await pool.query(TABLE);

const server = createServer((request, response) => {
  respondTo(request, response).catch(() => respond(response, 500, '{"title":"Internal"}'));
}).listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`Booking service (preview) on http://127.0.0.1:${port}\n`);
});

async function respondTo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url = '' } = request;
  if (method === 'POST' && url === PATH) return create(request, response);
  if (method === 'GET' && url === PATH) {
    const rows = await query(LIST, []);
    return respond(response, 200, `{"bookings":[${rows.join(',')}]}`);
  }
  const [found] = method === 'GET' ? await query(GET, [url.slice(PATH.length + 1)]) : [];
  if (found === undefined) respond(response, 404, '{"title":"Not found"}');
  else respond(response, 200, found);
}

async function create(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const payload = JSON.parse(await text(request)) as { slot?: { resource_id: string; start: string; end: string } };
  const key = request.headers['idempotency-key']?.toString();
  const { slot } = payload;
  const id = uuidv7();
  const json = JSON.stringify({ booking_id: id, created_at: new Date().toISOString(), ...payload });
  const window = slot ? [slot.resource_id, Date.parse(slot.start), Date.parse(slot.end)] : [null, null, null];
  const { rowCount } = await pool.query({ ...INSERT, values: [id, ...window, key ?? null, json] });
  if (rowCount === 1) return respond(response, 201, json);
  const [first] = key === undefined ? [] : await query(OF_KEY, [key]);
  if (first === undefined) respond(response, 409, '{"title":"The slot is taken"}');
  else respond(response, 201, first);
}

async function query(statement: { name: string; text: string }, values: unknown[]): Promise<string[]> {
  const { rows } = await pool.query<{ json: string }>({ ...statement, values });
  return rows.map(({ json }) => json);
}

function respond(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

/** A statement that the server plans once for each connection. */
function prepared(text: string): { name: string; text: string } {
  return { name: hash('md5', text), text };
}
