import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '../deployment/deployment.js';
import type { Figures } from './figures.js';
import { type CreateCall, isAcknowledged } from '../checks/history.js';
import { Replica, untilReady } from '../deployment/replica.js';
import { newPayload, slotAt } from '../deployment/workload.js';

const CLIENTS = 16;
/** Milliseconds that inserts are blocked, so that some are in flight when the signal comes. */
const BLOCKED = 400;
/** Milliseconds before the signal: a request that was sent earlier has arrived. */
const MARGIN = 50;
/** Milliseconds from the signal to the end of the process, clients that go on sending or not. */
const LONGEST_STOP = 8_000;

/** SIGTERM while clients book: every request in flight gets its response, and the process ends with 0. */
export async function terminations(deployment: Deployment, times: number): Promise<Figures> {
  await deployment.clear();
  const { bench, client, history } = deployment;
  const replica = deployment.replicas[0]!;
  const violations: string[] = [];
  let longest = 0;
  for (let number = 1; number <= times; number++) {
    const before = history.creates.length;
    let signalled = Number.POSITIVE_INFINITY;
    const booking = Array.from({ length: CLIENTS }, async (_, index) => {
      for (let isThere = true; isThere;) {
        const slot = slotAt(`termination ${number}.${index}`, history.creates.length);
        const { outcome } = await client.create(replica.url, newPayload(slot));
        isThere = outcome !== 'unknown';
      }
    });
    await sleep(150);
    let stopping: Promise<number | null> = Promise.resolve(null);
    await blockInserts(deployment, async () => {
      await sleep(2 * MARGIN);
      signalled = performance.now();
      stopping = replica.stop(LONGEST_STOP);
    });
    const code = await stopping;
    longest = Math.max(longest, performance.now() - signalled);
    if (code !== 0) violations.push(`SIGTERM ${number}: the process ends with ${code ?? 'a kill after too long'}.`);
    await Promise.all(booking);
    violations.push(...cutBy(number, signalled, history.creates.slice(before)));
    await restart(replica);
    bench.say(`SIGTERM ${number} of ${times}`);
  }
  const acknowledged = new Set(history.acknowledged().map(({ bookingId }) => bookingId));
  const unacknowledged = (await deployment.rows()).filter(({ bookingId }) => !acknowledged.has(bookingId));
  violations.push(...unacknowledged.map(({ json }) => `SIGTERM: ${json} was booked without a response to its client.`));
  violations.push(...(await deployment.check()));
  return { scenario: 'SIGTERM under load', size: `${times}, longest stop ${longest.toFixed(0)} ms`, violations };
}

function cutBy(number: number, signalled: number, creates: readonly CreateCall[]): string[] {
  const inFlight = creates.filter(
    ({ invoked, completed }) => invoked < signalled - MARGIN && completed > signalled - MARGIN,
  );
  if (inFlight.length === 0) return [`SIGTERM ${number}: nothing was in flight: the test is wrong.`];
  const cut = inFlight.filter((call) => !isAcknowledged(call));
  return cut.map(
    ({ payload, outcome }) => `SIGTERM ${number}: ${payload.request}, in flight, has the response ${outcome}.`,
  );
}

/** Blocks inserts, and not reads, until `BLOCKED` milliseconds after `work` is done. */
async function blockInserts({ bench, database }: Deployment, work: () => Promise<void>): Promise<void> {
  await bench.postgres.withClient(database, async (client) => {
    await client.query('BEGIN');
    await client.query('LOCK TABLE bookings IN SHARE MODE');
    await work();
    await sleep(BLOCKED);
    await client.query('COMMIT');
  });
}

async function restart(replica: Replica): Promise<void> {
  await replica.restart();
  await untilReady([replica]);
}
