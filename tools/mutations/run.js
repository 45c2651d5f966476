import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
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
const rows = all.filter(([id, file]) => names.length === 0 || names.includes(id) || names.includes(basename(file)));
if (rows.length === 0) throw new TypeError(`no row and no file of a row is named ${names.join(' or ')}`);
checkTexts();

const folder = join(tmpdir(), `mutations-postgres-${process.pid}`);
const tree = copyRepository();
const postgres = await LocalPostgres.start(folder, ['-c', 'max_connections=200'], { isGuarded: true });
try {
  const unchanged = (await byKit(tree, 'memory', postgres)) ?? (await byKit(tree, 'postgres', postgres));
  if (unchanged !== undefined) throw new Error(`the service without a mutation fails: ${unchanged}`);
  let survivors = 0;
  for (const [index, row] of rows.entries()) {
    const restore = mutate(tree, row);
    const found = await find(row);
    restore();
    if (found === undefined) survivors += 1;
    process.stdout.write(`${index + 1}/${rows.length} ${found ?? 'SURVIVES'}  ${JSON.stringify(row)}\n`);
  }
  process.stdout.write(`${rows.length} mutations, ${survivors} of them survive\n`);
  process.exitCode = survivors === 0 ? 0 : 1;
} finally {
  await postgres.stop();
  for (const path of [tree, folder]) rmSync(path, { recursive: true, force: true });
}

/** @throws Error that names each row whose text does not stand in its file exactly once */
function checkTexts() {
  const faults = all.flatMap(([id, file, text]) => {
    const count = readFileSync(join(root, file), 'utf8').split(text).length - 1;
    return count === 1 ? [] : [`${id}: its text is found ${count} times in ${file}, not once: ${text}`];
  });
  if (faults.length > 0) throw new Error(`Correct these rows in tools/mutations/rows.jsonl:\n${faults.join('\n')}`);
}

/** Who finds a mutation: the first suite that does. */
async function find([, file]) {
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
