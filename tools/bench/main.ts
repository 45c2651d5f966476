import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LocalPostgres } from 'testing';
import { Contender } from './contender.js';
import { type Operation, OPERATIONS } from './load.js';

const ROUNDS = 3;
/** Requests that warm a contender: fewer than a store in memory has room for. */
const WARM_UP = 20_000;
/** Commits are durable, as the service requires. Background work that could start during a measurement is put off. */
const FLAGS = ['shared_buffers=1GB', 'max_wal_size=8GB', 'checkpoint_timeout=1h', 'autovacuum=off'];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { against: { type: 'string' } } });
const own = (name: string): string => join(import.meta.dirname, `contenders/${name}.js`);
const serviceOf = (checkout: string): string => join(checkout, 'apps/api/dist/main.js');
const here = serviceOf(join(import.meta.dirname, '../../..'));
const before = values.against && serviceOf(resolve(process.env['INIT_CWD'] ?? '.', values.against));
const programs: Record<string, string> = {
  ...(before && { 'memory-before': before, 'postgres-before': before }),
  'nest-fastify-equal': own('nest-fastify-equal'),
  memory: here,
  'bare-pg': own('bare-pg'),
  postgres: here,
};
const names = Object.keys(programs).filter(
  (name) => positionals.length === 0 || positionals.includes(name.replace('-before', '')),
);
if (names.length === 0) throw new TypeError(`There is no contender ${positionals.join(' or ')}.`);

const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const flags = FLAGS.flatMap((flag) => ['-c', flag]);
const postgres = await LocalPostgres.start(folder, flags, { isGuarded: true });
const contenders: Contender[] = [];
try {
  for (const name of names) contenders.push(await Contender.start(name, programs[name]!, postgres));
  process.stdout.write(
    'µs of CPU per request, of the server + of the database (ratios to the first contender on that store)\n',
  );
  for (const operation of Object.keys(OPERATIONS) as Operation[]) await compare(operation);
} finally {
  await Promise.all(contenders.map((contender) => contender.stop()));
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Warms every contender, measures each once in each round, and prints the medians. */
async function compare(operation: Operation): Promise<void> {
  const first = new Map<boolean, [number, number]>();
  for (const { load } of contenders) await load.send(operation, WARM_UP);
  for (let round = 1; round <= ROUNDS; round++) for (const contender of contenders) await contender.measure(operation);
  for (const contender of contenders) {
    const { name, hasDatabase } = contender;
    const medians = contender.takeMedians();
    const base = first.get(hasDatabase) ?? medians;
    first.set(hasDatabase, base);
    const parts = medians
      .slice(0, hasDatabase ? 2 : 1)
      .map((cost, part) => `${cost.toFixed(1)} (${(cost / base[part]!).toFixed(2)})`);
    process.stdout.write(`${operation.padEnd(12)} ${name.padEnd(20)} ${parts.join(' + ')}\n`);
  }
}
