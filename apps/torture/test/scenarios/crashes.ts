import { setTimeout as sleep } from 'node:timers/promises';
import { until } from 'testing';
import type { Violations } from '../checks/history.js';
import type { Deployment } from '../deployment/deployment.js';
import { newPayload, Workload } from '../deployment/workload.js';
import { checkRecovery, type Figures } from './figures.js';

const CLIENTS = 24;

/**
 * SIGQUIT is the immediate stop of PostgreSQL, SIGKILL takes the postmaster alone and leaves its children; `replica` is
 * kill -9 of one of the service.
 */
export type Crash = 'replica' | 'SIGQUIT' | 'SIGKILL';

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
  const violations: Violations = [];
  let recovery = 0;
  const workload = new Workload(deployment, bench.random);
  await workload.during(CLIENTS, async () => {
    for (let number = 1; number <= times; number++) {
      await sleep(150 + bench.random.below(300));
      await crash(deployment, what);
      const time = await untilBooking(deployment);
      recovery = Math.max(recovery, time);
      violations.push(...checkRecovery(`the crash ${what}`, time));
    }
    await sleep(200);
  });
  violations.push(...(await deployment.check()));
  return { size: `${times}, ${workload.operations} operations`, violations, recovery };
}

/** Waits until every replica has made a booking. @returns the milliseconds that it took */
export async function untilBooking({ client, urls }: Deployment): Promise<number> {
  const times = urls.map((url) => until(async () => (await client.create(url, newPayload())).outcome === 'created'));
  return Math.max(...(await Promise.all(times)));
}
