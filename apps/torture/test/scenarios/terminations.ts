import { setTimeout as sleep } from 'node:timers/promises';
import type { CreateCall, Violations } from '../checks/history.js';
import type { Deployment } from '../deployment/deployment.js';
import { untilReady } from '../deployment/replica.js';
import { newPayload, slotAt } from '../deployment/workload.js';
import { limitOf } from '../limits.js';
import type { Figures } from './figures.js';

const CLIENTS = 16;
/** Milliseconds from the signal to the end of the process, also while clients go on sending. */
const LONGEST_STOP = limitOf(8_000);

/** SIGTERM while clients book: every request in flight gets its response, and the process ends with 0. */
export async function terminations(deployment: Deployment, times: number): Promise<Figures> {
  const { client, history } = deployment;
  const replica = deployment.replicas[0]!;
  const violations: Violations = [];
  let longest = 0;
  for (let number = 1; number <= times; number++) {
    const booking = Array.from({ length: CLIENTS }, async (_, index) => {
      let call: CreateCall;
      do {
        const slot = slotAt(`termination ${number}.${index}`, history.creates.length);
        call = await client.create(replica.url, newPayload(slot));
      } while (call.response !== undefined);
    });
    const { inFlight, stopped } = await whileInsertsAreBlocked(deployment, async () => {
      await untilInFlight(deployment);
      const open = history.creates.filter(({ completed }) => completed === Number.POSITIVE_INFINITY);
      const signalled = performance.now();
      const stopping = replica.stop().then((code) => ({ code, duration: performance.now() - signalled }));
      // A service that did not wait would be gone by now.
      await sleep(100);
      return { inFlight: open.slice(-CLIENTS), stopped: stopping };
    });
    const { code, duration } = await stopped;
    longest = Math.max(longest, duration);
    if (code !== 0) violations.push(`SIGTERM ${number}: the process ends with ${code ?? 'a signal'}.`);
    await Promise.all(booking);
    const cut = inFlight.filter(({ response }) => response === undefined);
    violations.push(...cut.map(({ payload }) => `SIGTERM ${number}: ${payload.request}, in flight, has no response.`));
    await replica.restart();
    await untilReady([replica]);
  }
  if (longest > LONGEST_STOP) violations.push(`SIGTERM: a stop takes ${longest.toFixed(0)} ms.`);
  const acknowledged = new Set(history.acknowledged().map(({ bookingId }) => bookingId));
  const unacknowledged = (await deployment.rows()).filter(({ bookingId }) => !acknowledged.has(bookingId));
  violations.push(...unacknowledged.map(({ json }) => `SIGTERM: ${json} was booked without a response to its client.`));
  return { size: `${times}, longest stop ${longest.toFixed(0)} ms`, violations };
}

/** Resolves once the service has a request of every client, and the one for its metrics. */
async function untilInFlight({ client, replicas }: Deployment): Promise<void> {
  for (let inFlight = 0; inFlight <= CLIENTS; await sleep(10)) {
    const metrics = await client.send(replicas[0]!.url, { target: '/metrics' });
    inFlight = Number(/^http_requests_in_flight (\d+)/m.exec(metrics?.text ?? '')?.[1]);
  }
}

/** Blocks inserts, and not reads, until `work` is done. */
function whileInsertsAreBlocked<Result>(
  { postgres, database }: Deployment,
  work: () => Promise<Result>,
): Promise<Result> {
  return postgres.withClient(database, async (client) => {
    await client.query('BEGIN; LOCK TABLE bookings IN SHARE MODE');
    const result = await work();
    await client.query('COMMIT');
    return result;
  });
}
