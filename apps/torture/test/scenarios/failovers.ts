import { setTimeout as sleep } from 'node:timers/promises';
import { CrashablePostgres } from '../deployment/crashable-postgres.js';
import { type Bench, Deployment } from '../deployment/deployment.js';
import { Workload } from '../deployment/workload.js';
import { untilBooking } from './crashes.js';
import { checkRecovery, type Figures } from './figures.js';

/** Milliseconds for which an early forwarder leads to a server that is still a standby. */
const EARLY = 3_000;

/**
 * The primary is killed while clients book and read, its synchronous standby is promoted, and a forwarder leads to it:
 * once it is promoted, or already before. Nothing is lost, and no get is 404 after its 201.
 */
export async function failovers(bench: Bench, times: number, forwarder: 'on time' | 'early'): Promise<Figures> {
  const found: Figures[] = [];
  while (found.length < times) found.push(await failOver(bench, forwarder));
  return {
    size: `${times}`,
    violations: found.flatMap(({ violations }) => violations),
    recovery: Math.max(...found.map(({ recovery }) => recovery!)),
  };
}

async function failOver(bench: Bench, forwarder: 'on time' | 'early'): Promise<Figures> {
  const primary = await CrashablePostgres.start();
  const standby = await primary.startStandby();
  const deployment = await Deployment.start({ ...bench, postgres: primary }, 2);
  try {
    let recovery = 0;
    await new Workload(deployment).during(16, async () => {
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
    const violations = [...(await deployment.check()), ...checkRecovery('a promotion', recovery)];
    return { size: '1', violations, recovery };
  } finally {
    await deployment.stop();
    await Promise.all([primary.remove(), standby.remove()]);
  }
}
