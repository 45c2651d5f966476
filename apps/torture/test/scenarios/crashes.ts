import { setTimeout as sleep } from 'node:timers/promises';
import type { Violations } from '../checks/history.js';
import type { Deployment } from '../deployment/deployment.js';
import { newPayload, Workload } from '../deployment/workload.js';
import { checkRecovery, type Figures } from './figures.js';

const CLIENTS = 24;

/**
 * SIGQUIT is the immediate stop of PostgreSQL, SIGKILL takes the postmaster alone and leaves its children; `replica` is
 * kill -9 of one of the service.
 */
const NAMES = {
  replica: 'kill -9 of a replica',
  SIGQUIT: 'immediate stop of PostgreSQL',
  SIGKILL: 'kill -9 of the postmaster',
};

export type Crash = keyof typeof NAMES;

/** What crashed is started again. Other replicas keep running, and have to recover by themselves. */
export async function crash({ bench, postgres, replicas }: Deployment, what: Crash): Promise<void> {
  if (what === 'replica') {
    const replica = bench.random.pick(replicas);
    await replica.kill();
    await replica.restart();
  } else {
    await postgres.stop(what);
    await sleep(100);
    await postgres.startAgain();
  }
}

/** Crashes while clients book, one after the other. */
export async function crashes(deployment: Deployment, what: Crash, times: number): Promise<Figures> {
  await deployment.clear();
  const { bench } = deployment;
  const scenario = NAMES[what];
  const violations: Violations = [];
  let recovery = 0;
  const workload = new Workload(deployment, bench.random);
  await workload.during(CLIENTS, async () => {
    for (let number = 1; number <= times; number++) {
      await sleep(150 + bench.random.below(300));
      await crash(deployment, what);
      const time = await untilBooking(deployment);
      recovery = Math.max(recovery, time);
      violations.push(...checkRecovery(scenario, time));
      bench.say(`${scenario} ${number} of ${times}: recovered after ${time.toFixed(0)} ms`);
    }
    await sleep(200);
  });
  violations.push(...(await deployment.check()));
  return { scenario, size: `${times}, ${workload.operations} operations`, violations, recovery };
}

/** Milliseconds until every replica has made a booking; Infinity when one does not within a minute. */
export async function untilBooking({ client, urls }: Deployment): Promise<number> {
  const start = performance.now();
  const times = urls.map(async (url) => {
    while (performance.now() - start < 60_000) {
      const { outcome } = await client.create(url, newPayload());
      if (outcome === 'created') return performance.now() - start;
      await sleep(25);
    }
    return Number.POSITIVE_INFINITY;
  });
  return Math.max(...(await Promise.all(times)));
}
