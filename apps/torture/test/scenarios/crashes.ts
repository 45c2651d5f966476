import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '../deployment/deployment.js';
import { checkRecovery, type Figures } from './figures.js';
import { newPayload, Workload } from '../deployment/workload.js';

const CLIENTS = 24;

/** kill -9 of one replica after the other while clients book; each is started again. */
export async function replicaKills(deployment: Deployment, kills: number): Promise<Figures> {
  const { random } = deployment.bench;
  return underLoad(deployment, 'kill -9 of a replica', kills, async () => {
    const replica = random.pick(deployment.replicas);
    await replica.kill();
    await replica.restart();
    return untilBooking(deployment);
  });
}

/**
 * Crashes of PostgreSQL while clients book: SIGQUIT is its immediate stop, SIGKILL takes the postmaster
 * alone and leaves its children. The replicas keep running and have to recover by themselves.
 */
export async function databaseCrashes(
  deployment: Deployment,
  crashes: number,
  signal: 'SIGQUIT' | 'SIGKILL',
): Promise<Figures> {
  const { postgres } = deployment.bench;
  const name = signal === 'SIGQUIT' ? 'immediate stop of PostgreSQL' : 'kill -9 of the postmaster';
  return underLoad(deployment, name, crashes, async () => {
    await postgres.stop(signal);
    await sleep(100);
    await postgres.startAgain();
    return untilBooking(deployment);
  });
}

/** Milliseconds until every replica has made a booking; Infinity when one does not. */
export async function untilBooking({ client, urls }: Deployment, timeout = 60_000): Promise<number> {
  const start = performance.now();
  const times = urls.map(async (url) => {
    while (performance.now() - start < timeout) {
      const { outcome } = await client.create(url, newPayload());
      if (outcome === 'created') return performance.now() - start;
      await sleep(25);
    }
    return Number.POSITIVE_INFINITY;
  });
  return Math.max(...(await Promise.all(times)));
}

/** @param crash resolves with the milliseconds that the service took to recover */
async function underLoad(
  deployment: Deployment,
  scenario: string,
  crashes: number,
  crash: () => Promise<number>,
): Promise<Figures> {
  await deployment.clear();
  const { bench } = deployment;
  const violations: string[] = [];
  let recovery = 0;
  const workload = new Workload(deployment, bench.random);
  await workload.during(CLIENTS, async () => {
    for (let number = 1; number <= crashes; number++) {
      await sleep(150 + bench.random.below(300));
      const time = await crash();
      recovery = Math.max(recovery, time);
      violations.push(...checkRecovery(scenario, time));
      bench.say(`${scenario} ${number} of ${crashes}: recovered after ${time.toFixed(0)} ms`);
    }
    await sleep(200);
  });
  violations.push(...(await deployment.check()));
  return { scenario, size: `${crashes}, ${workload.operations} operations`, violations, recovery };
}
