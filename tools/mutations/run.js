import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LocalPostgres } from 'testing';
import { mutations } from './mutations.js';
import { byKit, byTests } from './suites.js';
import { Tree } from './tree.js';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { suite: { type: 'string' } } });
const { suite } = values;
if (![undefined, 'kit', 'api'].includes(suite)) throw new TypeError('--suite is kit or api');
const unknown = positionals.filter((name) => !mutations.some((mutation) => mutation.name === name));
if (unknown.length > 0) throw new TypeError(`there is no mutation ${unknown.join(', ')}`);
const selected = mutations.filter(({ name }) => positionals.length === 0 || positionals.includes(name));

const folder = join(tmpdir(), `mutations-postgres-${process.pid}`);
const postgres = await LocalPostgres.start(folder, ['-c', 'max_connections=200']);
const tree = new Tree();
const rows = [];
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void cleanUp().then(() => process.exit(1)));
try {
  // All of them first: a file that has been renamed is found before an hour has gone.
  for (const mutation of selected) tree.apply(mutation)();
  const unchanged = await byKit(tree, 'memory', postgres);
  if (unchanged !== undefined) throw new Error(`the service without a mutation fails: ${unchanged}`);
  for (const [index, mutation] of selected.entries()) {
    const restore = tree.apply(mutation);
    const startedAt = performance.now();
    const found = await find(mutation);
    restore();
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
    rows.push([mutation.name, mutation.breaks, found ?? 'SURVIVES']);
    process.stderr.write(`${index + 1}/${selected.length} ${seconds} s  ${mutation.name}: ${found ?? 'SURVIVES'}\n`);
  }
} finally {
  await cleanUp();
}

const survivors = rows.filter(([, , found]) => found === 'SURVIVES');
const cells = [['Mutation', 'Breaks', 'Found by'], ['---', '---', '---'], ...rows];
for (const row of cells) process.stdout.write(`| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`);
process.stdout.write(`\n${rows.length} mutations, ${survivors.length} of them survive\n`);
process.exitCode = survivors.length === 0 ? 0 : 1;

async function cleanUp() {
  await postgres.stop();
  tree.remove();
  rmSync(folder, { recursive: true, force: true });
}

/** Who finds a mutation: the cheapest suite that does. */
async function find({ store = 'memory', file }) {
  const check = suite === 'api' ? undefined : await byKit(tree, store, postgres);
  if (check !== undefined || suite === 'kit') return check && `kit (${store}): ${check}`;
  const env = { TEST_DATABASE_URL: postgres.url('postgres'), TEST_DATABASES_STAY: 'true' };
  const ofContracts = file.startsWith('packages/contracts/') && (await byTests(tree, 'packages/contracts', [], env));
  if (ofContracts) return `contracts ${ofContracts}`;
  for (const project of ['memory', 'unit', ...(store === 'postgres' ? ['postgres'] : [])]) {
    const args = ['--selectProjects', project, '--testPathIgnorePatterns', 'e2e/conformance'];
    const test = await byTests(tree, 'apps/api', args, env);
    if (test !== undefined) return `api (${project}) ${test}`;
  }
  return undefined;
}
