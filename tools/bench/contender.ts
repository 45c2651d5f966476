import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { LocalPostgres, ServiceProcess } from 'testing';
import { Load, type Operation } from './load.js';

/** Requests of each measurement. */
const REQUESTS = 2_000;

/** Microseconds of CPU per request: of the server, and of its database. */
type Cost = [server: number, database: number];

/** A server in a process of its own, on one core: the load generator does not cost it its cache. */
export class Contender {
  readonly load: Load;
  private costs: Cost[] = [];

  private constructor(
    readonly name: string,
    private readonly server: ServiceProcess,
    private readonly postgres: LocalPostgres | undefined,
  ) {
    this.load = new Load(server.url);
    spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', '0', String(server.child.pid)]);
  }

  /** Starts a contender, with a database of its own if its name says so. */
  static async start(name: string, program: string, postgres: LocalPostgres): Promise<Contender> {
    const database = /pg|postgres/.test(name) ? name.replace('-', '_') : undefined;
    if (database !== undefined) await postgres.createDatabase(database);
    const env = { NODE_ENV: 'production', ...(database && { DATABASE_URL: postgres.url(database) }) };
    const server = await ServiceProcess.start(env, [], program);
    const contender = new Contender(name, server, database === undefined ? undefined : postgres);
    await contender.load.prefill();
    return contender;
  }

  get hasDatabase(): boolean {
    return this.postgres !== undefined;
  }

  async measure(operation: Operation): Promise<void> {
    const before = this.used();
    await this.load.send(operation, REQUESTS);
    const after = this.used();
    this.costs.push([(after[0] - before[0]) / REQUESTS, (after[1] - before[1]) / REQUESTS]);
  }

  /** The medians of all measurements since the last call. */
  takeMedians(): Cost {
    const sorted = ([0, 1] as const).map((part) => this.costs.map((cost) => cost[part]).toSorted((a, b) => a - b));
    this.costs = [];
    return sorted.map((costs) => costs[Math.floor(costs.length / 2)]!) as Cost;
  }

  async stop(): Promise<void> {
    await this.server.stop('SIGKILL');
  }

  private used(): Cost {
    return [cpuOf(this.server.child.pid!), this.postgres === undefined ? 0 : cpuOf(this.postgres.postmasterPid)];
  }
}

/** Microseconds of CPU, user and system, of a process and its children: the scheduler's own count of their threads. */
function cpuOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`);
  const own = threads.map((thread) => Number(textOf(`${thread}/schedstat`).split(' ', 1)[0]) / 1_000);
  const children = threads.flatMap((thread) => textOf(`${thread}/children`).split(' ').filter(Boolean).map(Number));
  return [...own, ...children.map(cpuOf)].reduce((sum, time) => sum + time, 0);
}

/** Empty where the process or the thread has ended since it was listed. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
