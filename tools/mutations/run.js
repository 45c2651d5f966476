import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalPostgres } from 'testing';
import { byKit, byTests } from './suites.js';
import { copyRepository, mutate, root } from './tree.js';

/** Files whose lines run only with a database. */
const ON_POSTGRES = /migrations\/|src\/bookings\/postgres\/|src\/(?:features\/events|platform\/database)\//;

const all = readFileSync(new URL('rows.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const names = process.argv.slice(2);
if (names.includes('--check')) checkRows(all);
else await judgeAll(names.length === 0 ? all : names.flatMap(rowsOf));

/** The row with this id, or those of the file with this name. */
function rowsOf(name) {
  const rows = all.filter(([id, file]) => id === name || file.endsWith(`/${name}`));
  if (rows.length === 0) throw new TypeError(`no row and no file of a row is named ${name}`);
  return rows;
}

/** @throws Error that names each row whose text does not stand in its file exactly once */
function checkRows(rows) {
  const faults = rows.flatMap(([id, file, find]) => {
    const count = readFileSync(join(root, file), 'utf8').split(find).length - 1;
    return count === 1 ? [] : [`${id}: its text is found ${count} times in ${file}, not once: ${find}`];
  });
  if (faults.length > 0) throw new Error(`Correct these rows in tools/mutations/rows.jsonl:\n${faults.join('\n')}`);
}

/** Prints a line for each row: who found it, and the row. The exit code is 1 if one survives. */
async function judgeAll(rows) {
  checkRows(rows);
  const folder = join(tmpdir(), `mutations-postgres-${process.pid}`);
  const postgres = await LocalPostgres.start(folder, ['-c', 'max_connections=200']);
  const tree = copyRepository();
  const cleanUp = async () => {
    await postgres.stop();
    for (const path of [tree, folder]) rmSync(path, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void cleanUp().then(() => process.exit(1)));
  try {
    const unchanged = (await byKit(tree, 'memory', postgres)) ?? (await byKit(tree, 'postgres', postgres));
    if (unchanged !== undefined) throw new Error(`the service without a mutation fails: ${unchanged}`);
    let survivors = 0;
    for (const [index, row] of rows.entries()) {
      const restore = mutate(tree, row);
      const found = await find(row, tree, postgres);
      restore();
      if (found === undefined) survivors += 1;
      process.stdout.write(`${index + 1}/${rows.length} ${found ?? 'SURVIVES'}  ${JSON.stringify(row)}\n`);
    }
    process.stdout.write(`${rows.length} mutations, ${survivors} of them survive\n`);
    process.exitCode = survivors === 0 ? 0 : 1;
  } finally {
    await cleanUp();
  }
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
