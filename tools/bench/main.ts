import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LocalPostgres, ServiceProcess } from 'testing';
import { Load, type Operation, OPERATIONS } from './load.js';

const ROUNDS = 9;
/** The number of requests in a measurement. */
const REQUESTS = 5_000;
/** The number of requests that warm a contender up. As creates, they must fit into the in-memory store. */
const WARM_UP = 20_000;
/** Commits are durable, as the service requires. Background work is postponed beyond the measurements. */
const SETTINGS = ['shared_buffers=1GB', 'max_wal_size=8GB', 'checkpoint_timeout=1h', 'autovacuum=off'];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { against: { type: 'string' } } });
const serviceOf = (checkout: string): string => join(checkout, 'apps/api/dist/main.js');
const here = serviceOf(join(import.meta.dirname, '../../..'));
const before = values.against && serviceOf(resolve(process.env['INIT_CWD'] ?? '.', values.against));
const programs: Record<string, string> = {
  ...(before && { 'memory-before': before, 'postgres-before': before }),
  'nest-fastify-equal': join(import.meta.dirname, 'contenders/nest-fastify-equal.js'),
  memory: here,
  'bare-pg': join(import.meta.dirname, 'contenders/bare-pg.js'),
  postgres: here,
};
const isChosen = (name: string): boolean =>
  positionals.length === 0 || positionals.includes(name.replace('-before', ''));

const flags = SETTINGS.flatMap((setting) => ['-c', setting]);
const postgres = await LocalPostgres.start(undefined, flags, { isGuarded: true });
const contenders: Awaited<ReturnType<typeof start>>[] = [];
try {
  for (const name of Object.keys(programs).filter(isChosen)) contenders.push(await start(name));
  if (contenders.length === 0) throw new TypeError(`There is no contender ${positionals.join(' or ')}.`);
  process.stdout.write(
    'µs of CPU per request, and its ratio in each round to the first contender on that store: quartiles and median\n',
  );
  for (const operation of Object.keys(OPERATIONS) as Operation[]) await compare(operation);
} finally {
  await Promise.all(contenders.map(({ service }) => service.stop('SIGKILL')));
  await postgres.stop();
}

/** Starts a contender, pinned to one core. Contenders with `pg` or `postgres` in their name get a database. */
async function start(name: string) {
  const hasDatabase = /pg|postgres/.test(name);
  if (hasDatabase) await postgres.createDatabase(name);
  const store = hasDatabase ? { DATABASE_URL: postgres.url(name) } : { STORE: 'memory' };
  const env = { NODE_ENV: 'production', ...store };
  const service = await ServiceProcess.start(env, [], programs[name]);
  const pids = [service.child.pid!, ...(hasDatabase ? [postgres.postmasterPid] : [])];
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', '0', String(pids[0])]);
  const load = new Load(service.url);
  if (name !== 'bare-pg') await load.expectDuties();
  await load.prefill();
  return { name, service, load, pids, costs: [] as number[][] };
}

/** Warms every contender up, measures each contender once in each round, and prints medians and quartiles. */
async function compare(operation: Operation): Promise<void> {
  for (const { load } of contenders) await load.send(operation, WARM_UP);
  for (let round = 1; round <= ROUNDS; round++)
    for (const { load, pids, costs } of contenders) {
      const earlier = pids.map(cpuOf);
      await load.send(operation, REQUESTS);
      costs.push(pids.map((pid, part) => (cpuOf(pid) - earlier[part]!) / REQUESTS));
    }
  const first: Record<number, number[][]> = {};
  for (const { name, pids, costs } of contenders) {
    const rounds = costs.splice(0);
    const base = (first[pids.length] ??= rounds);
    const shown = pids.map((_, part) => {
      const spent = rounds.map((cost) => cost[part]!);
      const ratios = spent.map((cost, round) => cost / base[round]![part]!);
      return `${quartiles(spent, 1)} (${quartiles(ratios, 2)})`;
    });
    process.stdout.write(`${operation.padEnd(12)} ${name.padEnd(20)} ${shown.join(' + ')}\n`);
  }
}

function quartiles(values: number[], decimals: number): string {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number): string => sorted[Math.round(share * (sorted.length - 1))]!.toFixed(decimals);
  return `${at(0.25)} / ${at(0.5)} / ${at(0.75)}`;
}

/** CPU microseconds of a process and its children, as the scheduler counts; for ended children, in ticks of 10 ms. */
function cpuOf(pid: number): number {
  const script = `for each in ${pid} $(cat /proc/${pid}/task/*/children); do cat /proc/$each/task/*/schedstat; done`;
  const counts = spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stdout.trim().split('\n');
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ').slice(15, 17).map(Number);
  const ended = (user! + system!) * 10_000;
  return counts.reduce((sum, count) => sum + Number(count.split(' ', 1)[0]) / 1_000, ended);
}
