import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LocalPostgres } from 'testing';
import { randomRows } from './random-rows.js';
import { byKit, byTests } from './suites.js';
import { checkRows, Tree } from './tree.js';

/** Files whose lines run only with a database. */
const ON_POSTGRES = /migrations\/|src\/bookings\/postgres\/|src\/(?:events|database)\//;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    random: { type: 'string' },
    seed: { type: 'string', default: '1' },
    rows: { type: 'string', default: new URL('rows.jsonl', import.meta.url).pathname },
    check: { type: 'boolean', default: false },
  },
});
const rows = values.random === undefined ? rowsOfFile() : randomRows(Number(values.seed));
checkRows(rows);
if (!values.check) await judgeAll();

function rowsOfFile() {
  const all = readFileSync(values.rows, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const isNamed = (name) => all.some(([id, file]) => id === name || file.endsWith(`/${name}`));
  const unknown = positionals.filter((name) => !isNamed(name));
  if (unknown.length > 0) throw new TypeError(`no row and no file of a row is named ${unknown.join(', ')}`);
  const isSelected = ([id, file]) => positionals.some((name) => id === name || file.endsWith(`/${name}`));
  return positionals.length === 0 ? all : all.filter(isSelected);
}

async function judgeAll() {
  const folder = join(tmpdir(), `mutations-postgres-${process.pid}`);
  const postgres = await LocalPostgres.start(folder, ['-c', 'max_connections=200']);
  const tree = new Tree();
  const cleanUp = async () => {
    await postgres.stop();
    tree.remove();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void cleanUp().then(() => process.exit(1)));
  try {
    const unchanged = (await byKit(tree, 'memory', postgres)) ?? (await byKit(tree, 'postgres', postgres));
    if (unchanged !== undefined) throw new Error(`the service without a mutation fails: ${unchanged}`);
    const wanted = values.random === undefined ? rows.length : Number(values.random);
    const survivors = await judge(rows, wanted, tree, postgres);
    process.stdout.write(`${wanted} mutations, ${survivors} of them survive\n`);
    process.exitCode = survivors === 0 ? 0 : 1;
  } finally {
    await cleanUp();
  }
}

/** A line for each row: who found it, and the row. @returns how many survive */
async function judge(rows, wanted, tree, postgres) {
  let judged = 0;
  let survivors = 0;
  for (const row of rows) {
    if (judged === wanted) break;
    const { compiles, restore } = tree.apply(row);
    // The compiler finds it, in this repository and in every editor: another one is drawn.
    const isJudged = compiles || values.random === undefined;
    const found = isJudged ? await find(row, tree, postgres) : undefined;
    restore();
    if (!isJudged) continue;
    judged += 1;
    if (found === undefined) survivors += 1;
    process.stdout.write(`${judged}/${wanted} ${found ?? 'SURVIVES'}  ${JSON.stringify(row)}\n`);
  }
  return survivors;
}

/** Who finds a mutation: the first suite that does. */
async function find([, file], tree, postgres) {
  for (const store of ON_POSTGRES.test(file) ? ['postgres'] : ['memory', 'postgres']) {
    const check = await byKit(tree, store, postgres);
    if (check !== undefined) return `kit (${store}): ${check}`;
  }
  const packages = file.startsWith('packages/contracts/') ? ['packages/contracts', 'apps/api'] : ['apps/api'];
  for (const folder of packages) {
    const test = await byTests(tree, folder, postgres);
    if (test !== undefined) return `${folder} ${test}`;
  }
  return undefined;
}
