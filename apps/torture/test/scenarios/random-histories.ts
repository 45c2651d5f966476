import { setTimeout as sleep } from 'node:timers/promises';
import type { Violations } from '../checks/history.js';
import type { Deployment } from '../deployment/deployment.js';
import { Workload } from '../deployment/workload.js';
import type { Figures } from './figures.js';

/** The most at once: enough that creates go to the database in groups. */
const CLIENTS = 192;
/** Milliseconds after which a session that is idle has reported its deadlocks. */
const REPORTED = 1_500;

/** Random calls of 16 clients or more at once, without a deadlock; every history is checked on its own. */
export async function randomHistories(deployment: Deployment, histories: number, size: number): Promise<Figures> {
  const { random } = deployment.bench;
  const violations: Violations = [];
  const deadlocksBefore = await deadlocksOf(deployment);
  let operations = 0;
  let slowest = 0;
  for (let number = 1; number <= histories; number++) {
    await deployment.clear();
    const workload = new Workload(deployment);
    await workload.run(16 + random.below(CLIENTS - 15), size);
    violations.push(...(await deployment.check()));
    operations += workload.operations;
    slowest = Math.max(slowest, deployment.history.slowest());
  }
  await sleep(REPORTED);
  const deadlocks = (await deadlocksOf(deployment)) - deadlocksBefore;
  if (deadlocks > 0) violations.push(`Random histories: ${deadlocks} deadlocks.`);
  return { size: `${operations} operations`, violations, slowest };
}

async function deadlocksOf(deployment: Deployment): Promise<number> {
  const [row] = await deployment.query<{ deadlocks: string }>(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(row!.deadlocks);
}
