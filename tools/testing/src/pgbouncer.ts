import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asNobody, untilPrinted } from './daemon.js';
import { freePort } from './free-port.js';
import { temporaryFolder } from './temporary-folder.js';

/** A PgBouncer in transaction mode: a transaction may run in any of eight sessions. */
export class PgBouncer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly port: number,
  ) {}

  /**
   * @param serverUrl the URL of a database on the server, with a role that needs no password
   * @param roles those that are not looked up, in a session of the first
   */
  static async start(serverUrl: string, roles: readonly string[] = []): Promise<PgBouncer> {
    const { hostname, port, username } = new URL(serverUrl);
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const listenPort = await freePort();
    const users = join(folder, 'users.txt');
    const file = join(folder, 'pgbouncer.ini');
    writeFileSync(users, [username, ...roles].map((name) => `"${name}" ""\n`).join(''));
    // `auth_user` looks up the roles that a test creates.
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
    return new PgBouncer(child, listenPort);
  }

  through(url: string): string {
    const through = new URL(url);
    through.host = `127.0.0.1:${this.port}`;
    return through.href;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    this.child.kill('SIGQUIT');
    await once(this.child, 'exit');
  }
}
