import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asNobody, untilPrinted } from './daemon.js';
import { freePort } from './free-port.js';

/**
 * A real PgBouncer in transaction mode. Each transaction may get another session of few, and the settings are its
 * defaults: it rejects parameters that it does not know when a connection is opened.
 */
export class PgBouncer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    private readonly port: number,
  ) {}

  /**
   * @param serverUrl any database of its server, for a role without a password
   * @throws Error if it is not installed or does not start
   */
  static async start(serverUrl: string): Promise<PgBouncer> {
    const { hostname, port, username } = new URL(serverUrl);
    const folder = mkdtempSync(join(tmpdir(), 'bookings-pgbouncer-'));
    chmodSync(folder, 0o755);
    const listenPort = await freePort();
    const users = join(folder, 'users.txt');
    const file = join(folder, 'pgbouncer.ini');
    writeFileSync(users, `"${username}" ""\n`);
    // `auth_user` is for roles that a test makes.
    const settings = `
      [databases]
      * = host=${hostname} port=${port}
      [pgbouncer]
      listen_addr = 127.0.0.1
      listen_port = ${listenPort}
      unix_socket_dir =
      pool_mode = transaction
      default_pool_size = 8
      max_client_conn = 200
      auth_type = trust
      auth_file = ${users}
      auth_user = ${username}
    `;
    writeFileSync(file, settings.replaceAll(/^ +/gm, ''));
    const child = spawn('pgbouncer', [file], { stdio: ['ignore', 'ignore', 'pipe'], ...asNobody });
    await untilPrinted(child, /process up/, 'PgBouncer');
    return new PgBouncer(child, folder, listenPort);
  }

  /** A connection string that leads through it. */
  through(url: string): string {
    const through = new URL(url);
    through.host = `127.0.0.1:${this.port}`;
    return through.href;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      this.child.kill('SIGQUIT');
      await once(this.child, 'exit');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
