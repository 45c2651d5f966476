/** A cancel desk: `DELETE /bookings/ID`, with a token of your own, deletes a booking from the service's database. */
import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import express from 'express';
import pg from 'pg';

/** TOKENS is a JSON object that maps the SHA-256 of each token, in hex, to its owner. */
const { DATABASE_URL, TOKENS = '{}', RECORD_FILE = 'cancelled.jsonl', PORT = '4100' } = process.env;
const people = new Map(Object.entries(/** @type {Record<string, string>} */ (JSON.parse(TOKENS))));
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 4, connectionTimeoutMillis: 2_500 });
pool.on('error', (error) => console.error(error.message));

/** Deletes a booking and its key. @param {string} id @param {string} who @returns whether the booking existed */
async function cancel(id, who) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query('DELETE FROM bookings WHERE booking_id = $1 RETURNING json', [id]);
    const [booking] = /** @type {{ json: string }[]} */ (rows);
    // A crash before the commit may leave a line too many, but never a cancellation without a line.
    if (booking)
      appendFileSync(RECORD_FILE, `${JSON.stringify({ at: new Date(), who, ...booking })}\n`, { flush: true });
    await client.query('COMMIT');
    client.release();
    return booking !== undefined;
  } catch (error) {
    // The closed connection rolls back.
    client.release(true);
    throw error;
  }
}

const desk = express().set('env', 'production').disable('x-powered-by');
desk.delete('/bookings/:id', async (request, response) => {
  const token = /^Bearer (.+)$/.exec(request.get('authorization') ?? '')?.[1] ?? '';
  const who = people.get(createHash('sha256').update(token).digest('hex'));
  if (who === undefined) response.sendStatus(401);
  else if (!UUID.test(request.params.id)) response.sendStatus(404);
  else response.sendStatus((await cancel(request.params.id, who)) ? 204 : 404);
});
desk.listen(Number(PORT), () => console.log(`Cancels on http://localhost:${PORT}`));
