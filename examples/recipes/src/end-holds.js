/** Ends expired holds of unpaid bookings: run it every minute. */
import { existsSync, readFileSync } from 'node:fs';
import { bookings } from './bookings.js';
import { cancel } from './cancel.js';

/** PAID_FILE has the ids of paid bookings, one a line: yours is a table. No hold is older than DAYS. */
const { PAID_FILE = 'paid.txt', DAYS = '7' } = process.env;
/** Milliseconds from the end of a hold, in which a payment that was accepted in time is recorded. */
const GRACE = 60_000;
const paid = new Set(existsSync(PAID_FILE) ? readFileSync(PAID_FILE, 'utf8').split('\n') : []);

const now = Date.now();
// The newest bookings come first.
for await (const { booking_id: id, created_at, hold_until } of bookings.listAll({ limit: 100 })) {
  if (Date.parse(created_at) < now - Number(DAYS) * 86_400_000) break;
  if (!(Date.parse(String(hold_until)) + GRACE <= now) || paid.has(id)) continue;
  if (await cancel(id)) console.log(`ended ${id}`);
}
