import { setTimeout as sleep } from 'node:timers/promises';
import { until } from 'testing';
import { atOnce } from '../at-once.js';
import type { CreateCall, Violations } from '../checks/history.js';
import type { Deployment } from '../deployment/deployment.js';
import { newPayload, slotAt } from '../deployment/workload.js';
import type { Figures } from './figures.js';

const CLIENTS = 16;
/** Maximum milliseconds from the signal to the end of the process, while clients go on sending. */
const LONGEST_STOP = 8_000;

/** SIGTERM while clients book: every request in flight gets its response, and the process ends with 0. */
export async function terminations(deployment: Deployment, times: number): Promise<Figures> {
  const { history, replicas } = deployment;
  const violations: Violations = [];
  let longest = 0;
  for (let number = 1; number <= times; number++) {
    const { end, duration, inFlight } = await terminate(deployment, `termination ${number}`);
    longest = Math.max(longest, duration);
    if (end[0] !== 0) violations.push(`SIGTERM ${number}: the process ends with ${end.join('')}.`);
    const cut = inFlight.filter(({ response }) => response === undefined);
    violations.push(...cut.map(({ payload }) => `SIGTERM ${number}: ${payload.request}, in flight, has no response.`));
    await replicas[0]!.restart();
    await deployment.untilReady();
  }
  if (longest > LONGEST_STOP) violations.push(`SIGTERM: a stop takes ${longest.toFixed(0)} ms.`);
  const { bookings } = history;
  const unacknowledged = (await deployment.rows()).filter(({ bookingId }) => !bookings.has(bookingId));
  violations.push(...unacknowledged.map(({ json }) => `SIGTERM: ${json} was booked without a response to its client.`));
  return { size: `${times}, longest stop ${longest.toFixed(0)} ms`, violations };
}

/** Stops the first replica while inserts are blocked, so that a create of every client is in flight. */
async function terminate({ client, history, replicas, postgres, database }: Deployment, resource: string) {
  const replica = replicas[0]!;
  const book = async (index: number): Promise<void> => {
    let call: CreateCall;
    do {
      call = await client.create(replica.url, newPayload(slotAt(`${resource}.${index}`, history.creates.length)));
    } while (call.response !== undefined);
  };
  const { booking, stopping, inFlight, signalled } = await postgres.withClient(database, async (blocking) => {
    await blocking.query('BEGIN; LOCK TABLE bookings IN SHARE MODE');
    const booking = atOnce(CLIENTS, book);
    // The request for the metrics is in flight too.
    await until(async () => {
      const metrics = await client.send(replica.url, { target: '/metrics' });
      return Number(/^http_requests_in_flight (\d+)/m.exec(metrics?.text ?? '')?.[1]) > CLIENTS;
    });
    const inFlight = history.creates.filter(({ completed }) => completed === Number.POSITIVE_INFINITY).slice(-CLIENTS);
    const signalled = performance.now();
    const stopping = replica.stop();
    // A service that does not wait for requests in flight is gone by now.
    await sleep(100);
    await blocking.query('COMMIT');
    return { booking, stopping, inFlight, signalled };
  });
  const end = await stopping;
  const duration = performance.now() - signalled;
  await booking;
  return { end, duration, inFlight };
}
