/** Ends expired holds of unpaid bookings: run it every minute. */
import { existsSync, readFileSync } from 'node:fs';
import { BookingsClient } from '@booking-service/client';
import { cancel } from './cancel.js';

/** PAID_FILE has the ids of paid bookings, one a line: yours is a table. No hold is older than DAYS. */
const { BOOKINGS_URL = 'http://localhost:3000', PAID_FILE = 'paid.txt', DAYS = '7' } = process.env;
const paid = new Set(existsSync(PAID_FILE) ? readFileSync(PAID_FILE, 'utf8').split('\n') : []);
/** @type {BookingsClient<{ hold_until?: string }>} */
const bookings = new BookingsClient({ baseUrl: BOOKINGS_URL });

const now = Date.now();
// The newest bookings come first.
for await (const { booking_id: id, created_at, hold_until } of bookings.listAll({ limit: 100 })) {
  if (Date.parse(created_at) < now - Number(DAYS) * 86_400_000) break;
  if (!(Date.parse(hold_until ?? '') <= now) || paid.has(id)) continue;
  if (await cancel(id)) console.log(`ended ${id}`);
}
