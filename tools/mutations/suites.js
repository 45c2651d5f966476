import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { runConformance } from '@booking-service/conformance';
import { ServiceProcess } from 'testing';

/** Thrown by the first check that fails, to end the run. */
class Found extends Error {}

/**
 * The conformance kit on a mutated service, started from its compiled files.
 *
 * @returns the id of the first check that fails; undefined where all pass
 * @throws Error where the service does not start: a mutation has to be one that only a request can find
 */
export async function byKit(tree, store, postgres) {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  // Keeps the port meanwhile: the service makes connections, which would take it.
  const place = createServer().listen(0, '127.0.0.1');
  await once(place, 'listening');
  const events = store === 'postgres' ? { port: place.address().port, secret } : undefined;
  const env = events === undefined ? {} : await onPostgres(tree, postgres, events);
  const service = await ServiceProcess.start(env, [], join(tree.path, 'apps/api/build/main.js'));
  place.close();
  let found;
  const onResult = ({ id, outcome }) => {
    if (outcome !== 'failed') return;
    found = id;
    throw new Found();
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
  const file = join(tree.path, 'webhooks.json');
  const endpoint = { name: 'conformance', url: `http://127.0.0.1:${port}`, secrets: [secret], from: 'now' };
  writeFileSync(file, JSON.stringify({ endpoints: [endpoint] }));
  return { DATABASE_URL: postgres.url(name), WEBHOOKS_FILE: file, WEBHOOKS_ALLOW_PRIVATE: 'true' };
}

/**
 * Tests of a package of the tree, up to the first that fails.
 *
 * @returns the file and the name of that test; undefined where all pass
 */
export async function byTests(tree, folder, args, env) {
  const jest = [`--experimental-vm-modules`, 'node_modules/jest/bin/jest.js', '--bail', '--silent', ...args];
  const child = spawn(process.execPath, jest, {
    cwd: join(tree.path, folder),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (code === 0) return undefined;
  const [, file = 'no file'] = /^FAIL .*?(\S+\.spec\.ts)/m.exec(output) ?? [];
  const [, test = output.trim().slice(-500)] = /^ +● (.+)$/m.exec(output) ?? [];
  return `${file}: ${test}`;
}
