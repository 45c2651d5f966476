import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from 'testing';
import startPostgres from 'testing/global-setup';

/** PgBouncer refuses to run as root. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/**
 * A real PgBouncer in transaction mode before the test server. Each transaction may get another session of few, and
 * the settings are PgBouncer's defaults: it rejects what it does not know when a connection is opened.
 */
export default async function startPgBouncer() {
  if (spawnSync('pgbouncer', ['--version']).error !== undefined) {
    throw new Error('pgbouncer is not installed. Install it, or run with TORTURE_WITHOUT_PGBOUNCER=true.');
  }
  await startPostgres();
  const { hostname, port, username } = new URL(process.env.TEST_DATABASE_URL);
  const folder = mkdtempSync(join(tmpdir(), 'bookings-pgbouncer-'));
  chmodSync(folder, 0o755);
  const listenPort = await freePort();
  writeFileSync(join(folder, 'users.txt'), `"${username}" ""\n`);
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    [
      '[databases]',
      `* = host=${hostname} port=${port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${listenPort}`,
      'unix_socket_dir =',
      'pool_mode = transaction',
      'default_pool_size = 8',
      'max_client_conn = 200',
      'auth_type = trust',
      `auth_file = ${join(folder, 'users.txt')}`,
      '',
    ].join('\n'),
  );
  const child = spawn('pgbouncer', [join(folder, 'pgbouncer.ini')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(process.getuid?.() === 0 && NOBODY),
  });
  let log = '';
  await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`pgbouncer does not start: ${log}`)));
    child.stderr.on('data', (chunk) => {
      log = (log + chunk).slice(-2_000);
      if (log.includes('process up')) resolve();
    });
  });
  globalThis.testPgBouncer = { child, folder };
  const url = new URL(process.env.TEST_DATABASE_URL);
  url.host = `127.0.0.1:${listenPort}`;
  process.env.TEST_PGBOUNCER_URL = url.href;
}
