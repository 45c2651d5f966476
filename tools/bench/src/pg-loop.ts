import { Client } from 'pg';
import { uuidv7 } from 'uuidv7';
import { payloadOf, type PayloadPlan } from './payloads.js';

/** One run of the loop. */
export interface LoopRun {
  readonly url: string;
  readonly connections: number;
  readonly amount: number;
  readonly payloads: PayloadPlan;
  readonly firstNumber: number;
}

/**
 * The INSERT of the service, word for word from `apps/api/src/bookings/postgres`, where it is not
 * exported. The loop does not change when the service improves: it is the reference.
 */
const INSERT = {
  name: 'create-booking',
  text: `INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json, idempotency_key, fingerprint)
    VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
};

// A separate process, like the service: every connection sends its next row when the previous one is inserted.
process.on('message', (run: LoopRun) => {
  void insertionsPerSecond(run).then((rate) => process.send!(rate));
});

async function insertionsPerSecond({ url, connections, amount, payloads, firstNumber }: LoopRun): Promise<number> {
  const clients = Array.from({ length: connections }, () => new Client({ connectionString: url }));
  await Promise.all(clients.map((client) => client.connect()));
  // Prepared in advance: the loop does nothing but insert.
  const rows = Array.from({ length: amount }, (_, index) => rowOf(payloadOf(firstNumber + index, payloads)));
  let next = 0;
  const start = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      for (let values = rows[next++]; values !== undefined; values = rows[next++]) {
        const { rowCount } = await client.query({ ...INSERT, values });
        if (rowCount !== 1) throw new Error('A row of the plain loop was rejected.');
      }
    }),
  );
  const seconds = (performance.now() - start) / 1_000;
  await Promise.all(clients.map((client) => client.end()));
  return amount / seconds;
}

function rowOf(payload: string): unknown[] {
  const { slot, ...details } = JSON.parse(payload) as { slot: Record<'resource_id' | 'start' | 'end', string> };
  const id = uuidv7();
  const json = JSON.stringify({ booking_id: id, created_at: new Date().toISOString(), slot, ...details });
  return [id, slot.resource_id, Date.parse(slot.start), Date.parse(slot.end), json, null, null];
}
