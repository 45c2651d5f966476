import type { Deployment } from '../deployment/deployment.js';
import type { Figures } from './figures.js';
import { Workload } from '../deployment/workload.js';

/** Random calls of 16 to 64 clients at once; every history is checked on its own. */
export async function randomHistories(
  deployment: Deployment,
  histories: number,
  operationsOfEach: number,
): Promise<Figures> {
  const { bench } = deployment;
  const violations: string[] = [];
  let operations = 0;
  let slowest = 0;
  for (let number = 1; number <= histories; number++) {
    await deployment.clear();
    const workload = new Workload(deployment, bench.random);
    await workload.run(16 + bench.random.below(49), operationsOfEach);
    violations.push(...(await deployment.check()));
    operations += workload.operations;
    slowest = Math.max(slowest, deployment.history.slowest());
    bench.say(`random history ${number} of ${histories}, ${operations} operations`);
  }
  return { scenario: 'random histories', size: `${operations} operations`, violations, slowest };
}
