import { readdirSync } from 'node:fs';
import { type Bench, Deployment } from '../deployment/deployment.js';
import type { Figures } from './figures.js';
import { newPayload } from '../deployment/workload.js';

const FILES = readdirSync(new URL('../../../api/migrations/', import.meta.url)).filter((file) => file.endsWith('.sql'));

/** Replicas that start at once on an empty database end with one schema, and all of them serve. */
export async function migrationsAtOnce(bench: Bench, times: number, replicas: number): Promise<Figures> {
  const violations: string[] = [];
  for (let number = 1; number <= times; number++) {
    const deployment = await Deployment.start(bench, replicas);
    violations.push(...(await checkMigrated(deployment)).violations);
    await deployment.stop();
    bench.say(`start of ${replicas} replicas ${number} of ${times}`);
  }
  return { scenario: 'migrations at once', size: `${times} x ${replicas} replicas`, violations };
}

/** Checks the schema and the replicas after they started at once on an empty database. */
export async function checkMigrated(deployment: Deployment): Promise<Figures> {
  const { client, urls } = deployment;
  const violations: string[] = [];
  const applied = await deployment.query<{ file: string }>('SELECT file FROM schema_migrations ORDER BY version');
  const files = applied.map(({ file }) => file).join(', ');
  if (files !== FILES.toSorted().join(', ')) violations.push(`The start applied ${files || 'nothing'}.`);
  const created = await Promise.all(urls.map((url) => client.create(url, newPayload())));
  for (const { outcome, replica } of created) {
    if (outcome !== 'created') violations.push(`After the start ${replica} has the outcome ${outcome}.`);
  }
  violations.push(...(await deployment.check()));
  return { scenario: 'one start', size: `${urls.length} replicas`, violations };
}
