import { setTimeout as sleep } from 'node:timers/promises';
import type { Violations } from '../checks/history.js';
import type { Deployment } from '../deployment/deployment.js';
import { untilReady } from '../deployment/replica.js';
import { newPayload, slotAt } from '../deployment/workload.js';
import { RECOVERY } from '../limits.js';
import { untilBooking } from './crashes.js';
import { checkRecovery, type Figures } from './figures.js';

/** How a database becomes unavailable, or was so when a replica started. Each resolves with a function that ends it. */
const OUTAGES_OF = {
  absent: async ({ postgres, replicas }: Deployment) => {
    await replicas[0]!.stop('SIGKILL');
    await postgres.stop();
    await replicas[0]!.restart();
    return () => postgres.startAgain();
  },
  down: async ({ postgres }: Deployment) => {
    await postgres.stop();
    return () => postgres.startAgain();
  },
  hung: ({ proxy }: Deployment) => {
    proxy.hang();
    return Promise.resolve(() => Promise.resolve(proxy.goOn()));
  },
};

export type Outage = keyof typeof OUTAGES_OF;
export const OUTAGES = Object.keys(OUTAGES_OF) as Outage[];

/** More than the service has connections, so that some creates are queued. */
const CALLERS = 16;

/** While the database is unavailable everything is rejected with 503 in time; when it is back, so is the service. */
export async function outages(deployment: Deployment, outage: Outage, times: number): Promise<Figures> {
  const violations: Violations = [];
  let recovery = 0;
  for (let number = 1; number <= times; number++) {
    // A connection that the previous outage cut may fail only now.
    await untilBooking(deployment);
    const end = await OUTAGES_OF[outage](deployment);
    violations.push(...(await probe(deployment)));
    await end();
    recovery = Math.max(recovery, await untilBooking(deployment), await untilReady(deployment.replicas));
  }
  violations.push(...checkRecovery(`a database that was ${outage}`, recovery));
  return { size: `${times}`, violations, recovery };
}

/** Calls every operation at once. Whether each 503 is a problem with `Retry-After` is seen by the checks. */
async function probe({ client, urls, history }: Deployment): Promise<Violations> {
  const url = urls[0]!;
  const { bookingId } = history.acknowledged().at(-1)!;
  const statusOf = async (path: string) => (await client.send(url, { target: `/health/${path}` }))?.status;
  /** The service polls its database once a second: the first responses of an outage may be 200. */
  const untilNotReady = async () => {
    let status = await statusOf('ready');
    for (; status === 200; status = await statusOf('ready')) await sleep(50);
    return status;
  };
  const [live, ready, ...calls] = await Promise.all([
    statusOf('live'),
    untilNotReady(),
    client.get(url, bookingId),
    client.list(url, 'outage'),
    ...Array.from({ length: CALLERS }, (_, index) => client.create(url, newPayload(slotAt('outage', index)))),
  ]);
  const wrong = calls.flatMap(({ kind, response, invoked, completed }) => {
    const duration = completed - invoked;
    if (response?.status === 503 && duration <= RECOVERY) return [];
    return [`Outage: ${kind} has the response ${response?.status} after ${duration} ms.`];
  });
  if (live !== 200 || ready !== 503) wrong.push(`Outage: /health/live is ${live}, /health/ready is ${ready}.`);
  return wrong;
}
