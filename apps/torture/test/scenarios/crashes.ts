import { setTimeout as sleep } from 'node:timers/promises';
import { until } from 'testing';
import type { Deployment } from '../deployment/deployment.js';
import { newPayload, Workload } from '../deployment/workload.js';
import { checkRecovery, type Figures } from './figures.js';

/**
 * SIGQUIT is the immediate stop of PostgreSQL, SIGKILL takes the postmaster alone and leaves its children; `replica` is
 * kill -9 of one of the service.
 */
export type Crash = 'replica' | 'SIGQUIT' | 'SIGKILL';

/** Crashes a server and starts it again. Other replicas keep running, and have to recover by themselves. */
export async function crash({ bench, postgres, replicas }: Deployment, what: Crash): Promise<void> {
  if (what === 'replica') {
    const replica = bench.random.pick(replicas);
    await replica.stop('SIGKILL');
    await replica.restart();
  } else {
    await postgres.stop(what);
    await sleep(100);
    await postgres.startAgain();
  }
}

/** Crashes while clients book, one after the other. */
export async function crashes(deployment: Deployment, what: Crash, times: number): Promise<Figures> {
  let recovery = 0;
  const workload = new Workload(deployment);
  await workload.during(24, async () => {
    for (let number = 1; number <= times; number++) {
      await sleep(150 + deployment.bench.random.below(300));
      await crash(deployment, what);
      recovery = Math.max(recovery, await untilBooking(deployment));
    }
    await sleep(200);
  });
  const size = `${times}, ${workload.operations} operations`;
  return { size, violations: checkRecovery(`the crash ${what}`, recovery), recovery };
}

/** Waits until every replica has made a booking. @returns the milliseconds that it took */
export async function untilBooking({ client, urls }: Deployment): Promise<number> {
  const times = urls.map((url) => until(async () => (await client.create(url, newPayload())).outcome === 'created'));
  return Math.max(...(await Promise.all(times)));
}
