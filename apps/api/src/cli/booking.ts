import { createInterface } from 'node:readline/promises';
import { AWAIT_COMMIT } from '../bookings/postgres/create-statements.js';
import { PostgresBookingsRepository } from '../bookings/postgres/postgres-bookings.repository.js';
import type { Database } from '../platform/database/database.js';
import { isRolledBack } from '../platform/database/postgres-errors.js';
import { prepared } from '../platform/database/statement.js';
import { parseWords, runCommand, UsageError } from './command.js';
import { withDatabase } from './with-database.js';

// A trigger records the deletion for webhook endpoints, in the same transaction.
const DELETE = prepared(
  `WITH set_up AS MATERIALIZED (SELECT ${AWAIT_COMMIT}) DELETE FROM bookings USING set_up WHERE booking_id = $1`,
);

await runCommand(() => {
  const { positionals, values } = parseWords({ yes: { type: 'boolean' } });
  const [command, id, ...rest] = positionals;
  if (command !== 'delete' || id === undefined || rest.length > 0) throw new UsageError();
  return withDatabase(process.env, (database) => deleteBooking(database, id, values.yes === true));
}, 'Usage: booking delete ID [--yes]\n');

async function deleteBooking(database: Database, id: string, isConfirmed: boolean): Promise<string> {
  const missing = new Error(`there is no booking ${id}.`);
  const booking = await new PostgresBookingsRepository(database).find(id);
  if (booking === undefined) throw missing;
  if (!isConfirmed && !(await confirm(booking.json))) return 'Nothing deleted.\n';
  const { rowCount } = await database.write(DELETE, [id]).catch((error: Error) => {
    if (isRolledBack(error)) throw error;
    const { message } = (error.cause ?? error) as Error;
    throw new Error(`booking ${id} may be deleted or not (${message}). Run this again.`);
  });
  if (rowCount === 0) throw missing;
  return `Booking ${id} is deleted: its slot and its idempotency key are free.\n`;
}

/** Shows a booking and asks for confirmation; the end of the input means no. */
async function confirm(json: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const ended = new Promise<string>((resolve) => void terminal.once('close', () => resolve('')));
    const answer = terminal.question(`${printable(json)}\nDelete this booking for good? [y/N] `);
    return /^y(?:es)?$/i.test((await Promise.race([answer, ended])).trim());
  } finally {
    terminal.close();
  }
}

/** Escapes the characters that a terminal obeys or hides. JSON itself already escapes characters up to U+001F. */
function printable(json: string): string {
  return json.replaceAll(/[\p{Cf}\p{Zl}\p{Zp}\x7F-\x9F]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeOf(character.charCodeAt(index))).join(''),
  );
}

function escapeOf(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
