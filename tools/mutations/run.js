/**
 * `node tools/mutations/run.js [ID or FILE]…`, after `pnpm build`: makes one-line bugs in a copy of the repository, by
 * default all rows of `rows.jsonl`. Each bug has to be found by a check of the conformance kit or by a test; the exit
 * code is 1 if one survives. A row is `[id, file, find, replace, the statement that it breaks]`.
 */
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runConformance } from '@booking-service/conformance';
import { aSecret, createTestDatabase, freePort, ServiceProcess, temporaryFolder, webhookSettings } from 'testing';
import startPostgres, { stopPostgres } from 'testing/global-setup';

const TSC = 'node_modules/typescript/bin/tsc';
const ROLLDOWN = '../../node_modules/rolldown/bin/cli.mjs';
const root = fileURLToPath(new URL('../../', import.meta.url));
const text = readFileSync(new URL('rows.jsonl', import.meta.url), 'utf8').trim();
const all = text.split('\n').map((line) => JSON.parse(line));
const stale = all.filter(([, file, find]) => readFileSync(join(root, file), 'utf8').split(find).length !== 2);
if (stale.length > 0) throw new Error(`These rows do not match exactly once: ${stale.map(([id]) => id).join(', ')}.`);
const names = process.argv.slice(2);
const rows = all.filter(([id, file]) => names.length === 0 || names.includes(id) || names.includes(basename(file)));
if (rows.length === 0) throw new Error(`No row and no file of a row is named ${names.join(' or ')}.`);

const LONG_FORM = ['--config', 'jest.torture.config.js', '--selectProjects', 'long'];
const tree = temporaryFolder();
try {
  await startPostgres();
  const leftOut = new Set(['.git', '.postgres', 'node_modules'].map((name) => join(root, name)));
  cpSync(root, tree, { recursive: true, verbatimSymlinks: true, filter: (from) => !leftOut.has(from) });
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  const fault = await byKits();
  if (fault !== undefined) throw new Error(`The service without a mutation fails: ${fault}`);
  for (const [id, file, find, replace, statement] of rows) {
    const source = readFileSync(join(tree, file), 'utf8');
    const mutated = source.replace(find, () => replace);
    write(file, mutated);
    const found =
      (await byKits()) ??
      (await byTests('packages/contracts')) ??
      (await byTests('apps/api')) ??
      (await byTests('apps/api', LONG_FORM));
    write(file, source);
    process.stdout.write(`${id} (${statement}): ${found ?? 'SURVIVES'}\n`);
    if (found === undefined) process.exitCode = 1;
  }
} finally {
  await stopPostgres();
}

/** Writes a file of the copy and builds the service, even with type errors. */
function write(file, text) {
  writeFileSync(join(tree, file), text);
  const cwd = join(tree, 'packages/contracts');
  // Tests of the service use its own sources, and the build of the contracts.
  if (file.startsWith('packages/contracts/')) spawnSync(process.execPath, [TSC, '-p', 'tsconfig.build.json'], { cwd });
  spawnSync(process.execPath, [ROLLDOWN, '--config'], { cwd: join(tree, 'apps/api') });
}

/** @returns the first check of the kit that fails on either store, or why the service does not start; else undefined */
async function byKits() {
  const database = await createTestDatabase();
  const port = await freePort();
  const secret = aSecret();
  const endpoint = { name: 'kit', url: `http://127.0.0.1:${port}`, secrets: [secret] };
  const onPostgres = { ...webhookSettings(endpoint), DATABASE_URL: database.url };
  const found = (await byKit({})) ?? (await byKit(onPostgres, { port, secret }));
  await database.drop();
  return found;
}

async function byKit(env, events) {
  const onResult = ({ id, outcome }) => {
    if (outcome === 'failed') throw new Error(id);
  };
  let service;
  try {
    service = await ServiceProcess.start(env, [], join(tree, 'apps/api/dist/main.js'));
    await runConformance({ url: service.url, events, onResult, timeout: 5_000 });
    return undefined;
  } catch (error) {
    return `kit (${events ? 'postgres' : 'memory'}), ${error.message}`;
  } finally {
    await service?.stop('SIGKILL');
  }
}

/** @returns the first test of a package that fails; undefined if all pass */
async function byTests(folder, options = []) {
  const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--bail', '--silent', ...options];
  const env = { ...process.env, TEST_LIST_ROWS: '12000' };
  const run = { cwd: join(tree, folder), env, maxBuffer: Infinity };
  return promisify(execFile)(process.execPath, jest, run).then(
    () => undefined,
    ({ stderr }) => `${folder}, ${/^ +● (.+)$/m.exec(stderr)?.[1] ?? stderr}`,
  );
}
