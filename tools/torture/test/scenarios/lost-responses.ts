import { setTimeout as sleep } from 'node:timers/promises';
import { TcpProxy } from 'testing';
import type { Deployment } from '../deployment/deployment.js';
import { Workload } from '../deployment/workload.js';
import type { Figures } from './figures.js';

/** Cuts requests and responses, of the service and of the database, while clients retry with their keys. */
export async function lostResponses(deployment: Deployment, cuts: number): Promise<Figures> {
  const { bench, proxy: toDatabase, urls } = deployment;
  const toReplicas = await Promise.all(urls.map((url) => TcpProxy.start(Number(new URL(url).port))));
  const proxies = [toDatabase, ...toReplicas];
  const before = toDatabase.cuts;
  const made = (): number => proxies.reduce((sum, proxy) => sum + proxy.cuts, -before);
  const workload = new Workload(
    deployment,
    toReplicas.map(({ port }) => `http://127.0.0.1:${port}`),
  );
  await workload.during(24, async () => {
    while (made() < cuts) {
      const proxy = bench.random.chance(0.5) ? toDatabase : bench.random.pick(toReplicas);
      proxy.cutNext(bench.random.chance(0.3) ? 'before-request' : 'before-response');
      await sleep(5 + bench.random.below(20));
    }
    for (const proxy of proxies) proxy.disarm();
  });
  const size = `${made()} cuts (${toDatabase.cuts - before} at the database), ${workload.operations} operations`;
  for (const proxy of toReplicas) proxy.close();
  return { size, violations: [] };
}
