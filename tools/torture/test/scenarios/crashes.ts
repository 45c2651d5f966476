import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceProcess, until } from 'testing';
import { type Deployment, endOf } from '../deployment/deployment.js';
import { newPayload, Workload } from '../deployment/workload.js';
import type { Figures } from './figures.js';

/** kill -9 of a replica, an immediate stop of PostgreSQL (SIGQUIT), or kill -9 of its postmaster alone (SIGKILL). */
export type Crash = 'replica' | 'SIGQUIT' | 'SIGKILL';

/** Crashes a process and starts it again. Other replicas keep running, and recover by themselves. */
export async function crash({ bench, postgres, replicas }: Deployment, what: Crash): Promise<void> {
  if (what === 'replica') {
    const replica = bench.random.pick(replicas);
    await kill(replica);
    await replica.restart();
  } else {
    await postgres.stop(what);
    await sleep(100);
    await postgres.restart();
  }
}

/** Kills a replica (kill -9). @throws Error if the process had ended by itself */
export async function kill(replica: ServiceProcess): Promise<void> {
  const [, signal] = await replica.stop('SIGKILL');
  if (signal !== 'SIGKILL') throw new Error(endOf(replica)[0]);
}

/** Causes crashes, one after the other, while clients book. */
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
  return { size: `${times}, ${workload.operations} operations`, violations: [], recovery };
}

/** Waits until every replica has made a booking. @returns the milliseconds that it took */
export async function untilBooking({ client, urls }: Deployment): Promise<number> {
  const times = urls.map((url) => until(async () => (await client.create(url, newPayload())).outcome === 'created'));
  return Math.max(...(await Promise.all(times)));
}
