import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LocalPostgres } from 'testing';
import { cpuOf, cpuWithChildren } from './cpu.js';
import { Load, type Operation, OPERATIONS } from './load.js';
import { type Cost, type Costs, toMarkdown } from './report.js';
import { Server } from './server.js';

if (process.platform !== 'linux') throw new Error('The bench reads CPU times from /proc, which only Linux has.');
const { values, positionals } = parseArgs({ allowPositionals: true, options: { against: { type: 'string' } } });
const ROUNDS = 3;
/** Of each operation in each round. */
const REQUESTS = 2_000;
const WARM_UP_SECONDS = 5;

interface Contender {
  readonly name: string;
  readonly program: string;
  readonly onPostgres: boolean;
}

/** Durable, as the service requires; background work that could start in the middle of a measurement is put off. */
const FLAGS = ['shared_buffers=1GB', 'max_wal_size=8GB', 'checkpoint_timeout=1h', 'autovacuum=off'];

const contenders = selected();
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const postgres = await LocalPostgres.start(
  folder,
  FLAGS.flatMap((flag) => ['-c', flag]),
);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void cleanUp().then(() => process.exit(1)));
const servers: Server[] = [];
try {
  process.stdout.write(toMarkdown(await measureAll()));
} finally {
  await Promise.all(servers.map((server) => server.stop()));
  await cleanUp();
}

function selected(): readonly Contender[] {
  const contender = (name: string, program: string) => ({ name, program, onPostgres: /pg|postgres/.test(name) });
  const own = (name: string) => contender(name, join(import.meta.dirname, `contenders/${name}.js`));
  const serviceOf = (folder: string) => join(folder, 'apps/api/dist/main.js');
  const here = serviceOf(join(import.meta.dirname, '../../..'));
  const of = [own('bare'), own('nest-fastify-equal'), contender('memory', here)];
  const all = [...of, own('bare-pg'), contender('postgres', here)];
  if (values.against !== undefined) {
    const other = serviceOf(resolve(process.env['INIT_CWD'] ?? '.', values.against));
    all.push(contender('memory-before', other), contender('postgres-before', other));
  }
  const unknown = positionals.filter((name) => !all.some((one) => one.name === name));
  if (unknown.length > 0) throw new TypeError(`there is no contender ${unknown.join(', ')}`);
  return positionals.length === 0 ? all : all.filter(({ name }) => positionals.includes(name));
}

/** Each operation in turn: every contender is warmed, and then measured once in each round. */
async function measureAll(): Promise<Map<string, Costs>> {
  const started = [];
  for (const contender of contenders) started.push({ contender, ...(await start(contender)), costs: {} as Costs });
  for (const operation of Object.keys(OPERATIONS) as Operation[]) {
    for (const { load } of started) await load.send(operation, { duration: WARM_UP_SECONDS });
    for (let round = 1; round <= ROUNDS; round++) {
      process.stderr.write(`${operation}, round ${round}\n`);
      for (const { contender, server, load, costs } of started) {
        const cost = await measure(server, contender, () => load.send(operation, { amount: REQUESTS }));
        (costs[operation] ??= []).push(cost);
      }
    }
  }
  return new Map(started.map(({ contender, costs }) => [contender.name, costs]));
}

async function start({ name, program, onPostgres }: Contender): Promise<{ server: Server; load: Load }> {
  const database = name.replace('-', '_');
  if (onPostgres) await postgres.createDatabase(database);
  const server = await Server.start(program, onPostgres ? { DATABASE_URL: postgres.url(database) } : {});
  servers.push(server);
  const load = new Load(server.url);
  await load.prefill();
  return { server, load };
}

/** Microseconds of CPU per request, of the server and of the database. */
async function measure(server: Server, { onPostgres }: Contender, send: () => Promise<void>): Promise<Cost> {
  const databaseCpu = () => (onPostgres ? cpuWithChildren(postgres.postmasterPid) : 0);
  const before = { server: cpuOf(server.pid), database: databaseCpu() };
  await send();
  return {
    server: (cpuOf(server.pid) - before.server) / REQUESTS,
    database: (databaseCpu() - before.database) / REQUESTS,
  };
}

async function cleanUp(): Promise<void> {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
