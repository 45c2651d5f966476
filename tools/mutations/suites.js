import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { runConformance } from '@booking-service/conformance';
import { freePort, ServiceProcess } from 'testing';

/**
 * The conformance kit on the service of the tree, up to the first check that fails.
 *
 * @returns the id of that check; `start` where the service does not start; undefined where all pass
 */
export async function byKit(tree, store, postgres) {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const events = store === 'postgres' ? { port: await freePort(), secret } : undefined;
  const env = events === undefined ? {} : await onPostgres(tree, postgres, events);
  const service = await ServiceProcess.start(env, [], join(tree, 'apps/api/build/main.js')).catch(() => undefined);
  if (service === undefined) return 'start';
  let found;
  const onResult = ({ id, outcome }) => {
    if (outcome !== 'failed') return;
    found = id;
    throw new Error('found');
  };
  try {
    await runConformance({ url: service.url, events, onResult, timeout: 5_000 });
  } catch (error) {
    found ??= `before any check: ${error.message}`;
  } finally {
    await service.stop('SIGKILL');
  }
  return found;
}

async function onPostgres(tree, postgres, { port, secret }) {
  const name = `mutation_${randomBytes(6).toString('hex')}`;
  await postgres.createDatabase(name);
  const file = join(tree, 'webhooks.json');
  const endpoint = { name: 'conformance', url: `http://127.0.0.1:${port}`, secrets: [secret], from: 'now' };
  writeFileSync(file, JSON.stringify({ endpoints: [endpoint] }));
  return { DATABASE_URL: postgres.url(name), WEBHOOKS_FILE: file, WEBHOOKS_ALLOW_PRIVATE: 'true' };
}

/**
 * All tests of a package of the tree, up to the first that fails.
 *
 * @returns the file and the name of that test; undefined where all pass
 */
export async function byTests(tree, folder, postgres) {
  // Some start the bundle of the service.
  spawnSync(join(tree, 'node_modules/.bin/rolldown'), ['-c'], { cwd: join(tree, 'apps/api') });
  const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--bail', '--silent'];
  const child = spawn(process.execPath, jest, {
    cwd: join(tree, folder),
    env: { ...process.env, TEST_DATABASE_URL: postgres.url('postgres'), TEST_DATABASES_STAY: 'true' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (code === 0) return undefined;
  const [, file = 'no file'] = /^FAIL .*?(\S+\.spec\.ts)/m.exec(output) ?? [];
  const [, test = output.trim().slice(-500)] = /^ +● (.+)$/m.exec(output) ?? [];
  return `${file}: ${test}`;
}
