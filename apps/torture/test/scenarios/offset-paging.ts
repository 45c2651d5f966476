import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Deployment } from '../deployment/deployment.js';

const ORDERS: Record<string, string> = { '-created_at': 'booking_id DESC', start: 'slot_start, booking_id' };

/** Lists the bookings of a deployment the way that breaks the promise of a walk: its cursor is a number of rows. */
export async function startOffsetPaging(deployment: Deployment): Promise<{ url: string; close(): void }> {
  const page = async (query: URLSearchParams): Promise<string> => {
    const limit = Number(query.get('limit'));
    const offset = Number(query.get('cursor') ?? '0');
    const order = ORDERS[query.get('sort') ?? '']!;
    const text = `SELECT json FROM bookings ORDER BY ${order} LIMIT $1 OFFSET $2`;
    const rows = await deployment.query<{ json: string }>(text, [limit, offset]);
    const nextCursor = rows.length === limit ? String(offset + limit) : null;
    return `{"bookings":[${rows.map(({ json }) => json).join(',')}],"next_cursor":${JSON.stringify(nextCursor)}}`;
  };
  const server = createServer((request, response) => {
    void page(new URL(request.url!, 'http://localhost').searchParams).then((body) => response.end(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}
