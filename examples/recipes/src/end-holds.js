/** Ends expired holds of unpaid orders: run it every minute. */
import { readFileSync } from 'node:fs';
import { bookings } from './bookings.js';
import { cancel } from './cancel.js';

/** PAID_FILE has the paid orders, one on each line; in practice it is a table. No hold is older than DAYS. */
const { PAID_FILE = 'paid.txt', DAYS = '7' } = process.env;
/** Milliseconds after the end of a hold in which a payment that was accepted in time may still be recorded. */
const GRACE = 60_000;

// The clock is read first: the file then has every payment that was in time for a hold whose grace is over.
const now = Date.now();
// A missing file is an error: without it, every order would look unpaid.
const paid = new Set(readFileSync(PAID_FILE, 'utf8').split(/\r?\n/));

// The newest bookings come first.
for await (const { booking_id: id, created_at, order, hold_until } of bookings.listAll({ limit: 100 })) {
  if (Date.parse(created_at) < now - Number(DAYS) * 86_400_000) break;
  if (!(Date.parse(String(hold_until)) + GRACE <= now) || paid.has(String(order))) continue;
  if (await cancel(id)) console.log(`ended ${id}`);
}
