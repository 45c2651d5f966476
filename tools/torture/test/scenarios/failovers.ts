import { setTimeout as sleep } from 'node:timers/promises';
import type { Violations } from '../checks/history.js';
import { CrashablePostgres } from '../deployment/crashable-postgres.js';
import { type Bench, Deployment } from '../deployment/deployment.js';
import { Workload } from '../deployment/workload.js';
import { untilBooking } from './crashes.js';
import type { Figures } from './figures.js';

/** Milliseconds for which an early proxy leads to the standby before its promotion. */
const EARLY = 3_000;

/** Stops the primary, promotes its synchronous standby, and leads the proxy to it, after or before the promotion. */
export async function failovers(bench: Bench, times: number, proxy: 'on time' | 'early'): Promise<Figures> {
  const violations: Violations = [];
  let recovery = 0;
  for (let number = 1; number <= times; number++) {
    const found = await failOver(bench, proxy);
    violations.push(...found.violations);
    recovery = Math.max(recovery, found.recovery);
  }
  return { size: `${times}`, violations, recovery };
}

function failOver(bench: Bench, proxy: 'on time' | 'early') {
  return withStandby(bench, async (deployment, standby) => {
    let recovery = 0;
    await new Workload(deployment).during(16, async () => {
      await sleep(700);
      await deployment.postgres.stop('SIGQUIT');
      if (proxy === 'early') {
        deployment.proxy.leadTo(standby.port);
        await sleep(EARLY);
      }
      await standby.query('postgres', 'SELECT pg_promote(true, 30)');
      if (proxy === 'on time') deployment.proxy.leadTo(standby.port);
      recovery = await untilBooking(deployment);
      await sleep(300);
    });
    deployment.postgres = standby;
    return { violations: await deployment.check(), recovery };
  });
}

/** Runs `work` on two replicas whose PostgreSQL makes every commit wait for a standby. */
export async function withStandby<Result>(
  bench: Bench,
  work: (deployment: Deployment, standby: CrashablePostgres) => Promise<Result>,
  env: Record<string, string> = {},
): Promise<Result> {
  const primary = await CrashablePostgres.start();
  const standby = await primary.startStandby();
  const deployment = await Deployment.start({ ...bench, postgres: primary }, 2, env);
  try {
    return await work(deployment, standby);
  } finally {
    await deployment.stop();
    await Promise.all([primary.stop('SIGQUIT'), standby.stop('SIGQUIT')]);
  }
}
