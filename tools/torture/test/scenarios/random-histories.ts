import type { Violations } from '../checks/history.js';
import type { Deployment } from '../deployment/deployment.js';
import { Workload } from '../deployment/workload.js';
import type { Figures } from './figures.js';

/** Maximum clients: enough for creates to go to the database in groups. */
const CLIENTS = 192;

/** Random calls of at least 16 clients at once. Every history is checked on its own. */
export async function randomHistories(deployment: Deployment, histories: number, size: number): Promise<Figures> {
  const violations: Violations = [];
  let operations = 0;
  let slowest = 0;
  for (let number = 1; number <= histories; number++) {
    await deployment.clear();
    const workload = new Workload(deployment);
    await workload.run(16 + deployment.bench.random.below(CLIENTS - 15), size);
    violations.push(...(await deployment.check()));
    operations += workload.operations;
    slowest = Math.max(slowest, deployment.history.slowest);
  }
  return { size: `${operations} operations`, violations, slowest };
}
