import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { Logger } from '@nestjs/common';
import { isBookingId } from '../bookings/booking.js';
import { readConfig } from '../config/config.js';
import { Database } from '../database/database.js';
import { prepared } from '../database/statement.js';
import { print, printError } from '../observability/print.js';
import { describeFailure } from './failure.js';

const USAGE = `Usage: booking delete ID [--yes]
`;

/** Connections; the fewest that a database takes. */
const POOL_SIZE = 2;

const FIND = prepared('SELECT json FROM bookings WHERE booking_id = $1');
// The key is in the row. A trigger records the deletion for endpoints, in the same transaction.
const DELETE = prepared('DELETE FROM bookings WHERE booking_id = $1 RETURNING resource_id');
const NOTIFIED = prepared(
  `SELECT name FROM webhook_endpoints
    WHERE seen_at > now() - interval '7 days' AND (prefix = '' OR starts_with($1, prefix)) ORDER BY name`,
);

class Usage extends Error {}

// Standard output is the command's.
Logger.overrideLogger(false);
try {
  const { id, isConfirmed } = readArguments();
  print(await withDatabase((database) => deleteBooking(database, id, isConfirmed)));
} catch (error) {
  printError(error instanceof Usage ? USAGE : `Failed: ${describeFailure(error)}\n`);
  process.exitCode = 1;
}

/** @throws Usage */
function readArguments(): { id: string; isConfirmed: boolean } {
  try {
    const { positionals, values } = parseArgs({ allowPositionals: true, options: { yes: { type: 'boolean' } } });
    const [command, id, ...rest] = positionals;
    if (command === 'delete' && id !== undefined && rest.length === 0) return { id, isConfirmed: values.yes === true };
  } catch {
    // An unknown option.
  }
  throw new Usage();
}

async function withDatabase(work: (database: Database) => Promise<string>): Promise<string> {
  const settings = readConfig(process.env).database;
  if (settings === undefined) throw new Error('DATABASE_URL is not set.');
  const database = new Database({ ...settings, poolSize: POOL_SIZE, migrateAtStart: false });
  try {
    await database.prepare();
    return await work(database);
  } finally {
    await database.close();
  }
}

async function deleteBooking(database: Database, id: string, isConfirmed: boolean): Promise<string> {
  const missing = new Error(`there is no booking ${id}.`);
  if (!isBookingId(id)) throw missing;
  const { rows } = await database.run<{ json: string }>(FIND, [id]);
  if (rows[0] === undefined) throw missing;
  if (!isConfirmed && !(await confirm(rows[0].json))) return 'Nothing is deleted.\n';
  const [deleted] = (await database.write<{ resource_id: string | null }>(DELETE, [id])).rows;
  if (deleted === undefined) throw missing;
  const endpoints = (await database.run<{ name: string }>(NOTIFIED, [deleted.resource_id])).rows;
  const names = endpoints.map(({ name }) => name).join(', ');
  const notified = names === '' ? '' : ` \`bookings.booking.deleted\` is sent to ${names}.`;
  return `Booking ${id} is deleted: its slot and its idempotency key are free.${notified}\n`;
}

/** Shows a booking and reads a line. @returns whether it is `y` or `yes`; the end of the input is neither */
async function confirm(json: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const ended = new Promise<string>((resolve) => void terminal.once('close', () => resolve('')));
    const answer = terminal.question(`${json}\nDelete this booking for good? [y/N] `);
    return /^y(?:es)?$/i.test((await Promise.race([answer, ended])).trim());
  } finally {
    terminal.close();
  }
}
