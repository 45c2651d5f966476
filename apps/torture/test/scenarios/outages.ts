import { setTimeout as sleep } from 'node:timers/promises';
import type { Violations } from '../checks/history.js';
import type { Deployment } from '../deployment/deployment.js';
import { untilReady } from '../deployment/replica.js';
import { newPayload, slotAt } from '../deployment/workload.js';
import { RECOVERY } from '../limits.js';
import { untilBooking } from './crashes.js';
import { checkRecovery, type Figures } from './figures.js';

/** Ways in which a database is unavailable. Each makes it so, and resolves with a function that ends it. */
const WAYS = {
  absent: async ({ postgres, replicas }: Deployment) => {
    await replicas[0]!.kill();
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

export type Outage = keyof typeof WAYS;
export const OUTAGES = Object.keys(WAYS) as Outage[];

/** More than the service has connections, so that some creates are queued. */
const CALLERS = 16;

/** While the database is unavailable everything is rejected with 503 in time; when it is back, so is the service. */
export async function outages(deployment: Deployment, outage: Outage, times: number): Promise<Figures> {
  await deployment.clear();
  const violations: Violations = [];
  let recovery = 0;
  for (let number = 1; number <= times; number++) {
    // A connection that the previous outage cut may fail only now.
    await untilBooking(deployment);
    const end = await WAYS[outage](deployment);
    violations.push(...(await probe(deployment)));
    await end();
    const back = Math.max(await untilBooking(deployment), await untilReady(deployment.replicas));
    recovery = Math.max(recovery, back);
    violations.push(...checkRecovery(`a database that was ${outage}`, back));
  }
  violations.push(...(await deployment.check()));
  return { size: `${times}`, violations, slowest: deployment.history.slowest(), recovery };
}

/** Calls every operation at once. Whether each 503 is a problem with `Retry-After` is seen by the checks. */
async function probe({ client, urls, history }: Deployment): Promise<Violations> {
  const url = urls[0]!;
  const { bookingId } = history.acknowledged().at(-1)!;
  const health = (path: string) => client.send(url, { target: `/health/${path}` });
  /** The service polls its database once a second: the first responses of an outage may be 200. */
  const untilNotReady = async () => {
    let response = await health('ready');
    for (; response?.status === 200; response = await health('ready')) await sleep(50);
    return response;
  };
  const [live, ready, ...calls] = await Promise.all([
    health('live'),
    untilNotReady(),
    client.get(url, bookingId),
    client.list(url, 'outage'),
    ...Array.from({ length: CALLERS }, (_, index) => client.create(url, newPayload(slotAt('outage', index)))),
  ]);
  const wrong = calls.filter(
    ({ response, invoked, completed }) => response?.status !== 503 || completed - invoked > RECOVERY,
  );
  return [
    ...(live?.status === 200 ? [] : [`Outage: /health/live has the response ${live?.status}.`]),
    ...(ready?.status === 503 ? [] : [`Outage: /health/ready has the response ${ready?.status}.`]),
    ...wrong.map(
      ({ kind, response, invoked, completed }) =>
        `Outage: ${kind} has the response ${response?.status} after ${completed - invoked} ms.`,
    ),
  ];
}
