import { setTimeout as sleep } from 'node:timers/promises';
import type { Violations } from '../checks/history.js';
import { CrashablePostgres } from '../deployment/crashable-postgres.js';
import { type Bench, Deployment } from '../deployment/deployment.js';
import { Workload } from '../deployment/workload.js';
import { untilBooking } from './crashes.js';
import { checkRecovery, type Figures } from './figures.js';

const CLIENTS = 16;
/** Milliseconds for which an early forwarder leads to a server that is still a standby. */
const EARLY = 3_000;

interface Found {
  readonly violations: Violations;
  /** Milliseconds. */
  readonly recovery: number;
  readonly operations: number;
}

/**
 * The primary is killed while clients book and read, its synchronous standby is promoted, and a forwarder leads to it:
 * once it is promoted, or already before. Nothing is lost, and no get is 404 after its 201.
 */
export async function failovers(bench: Bench, times: number, forwarder: 'on time' | 'early'): Promise<Figures> {
  const found = { violations: [] as Violations, recovery: 0, operations: 0 };
  for (let number = 1; number <= times; number++) {
    const { violations, recovery, operations } = await failOverOnce(bench, forwarder);
    found.violations.push(...violations, ...checkRecovery('a promotion', recovery));
    found.recovery = Math.max(found.recovery, recovery);
    found.operations += operations;
    bench.say(`failover ${number} of ${times}: back ${recovery.toFixed(0)} ms after the promotion`);
  }
  const { operations, ...figures } = found;
  return { size: `${times}, ${operations} operations`, ...figures };
}

async function failOverOnce(bench: Bench, forwarder: 'on time' | 'early'): Promise<Found> {
  const primary = await CrashablePostgres.start();
  const standby = await primary.startStandby();
  const deployment = await Deployment.start({ ...bench, postgres: primary }, 2);
  try {
    const workload = new Workload(deployment, bench.random);
    let recovery = 0;
    await workload.during(CLIENTS, async () => {
      await sleep(700);
      await primary.stop('SIGQUIT');
      if (forwarder === 'early') {
        deployment.proxy.leadTo(standby.port);
        await sleep(EARLY);
      }
      await standby.query('postgres', 'SELECT pg_promote(true, 30)');
      if (forwarder === 'on time') deployment.proxy.leadTo(standby.port);
      recovery = await untilBooking(deployment);
      await sleep(300);
    });
    deployment.postgres = standby;
    return { violations: await deployment.check(), recovery, operations: workload.operations };
  } finally {
    await deployment.stop();
    await Promise.all([primary.remove(), standby.remove()]);
  }
}
