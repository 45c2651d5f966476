import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { programOf } from 'testing';
import type { Violations } from '../checks/violations.js';
import { SERVICE_ROLE } from '../deployment/crashable-postgres.js';
import type { Bench } from '../deployment/deployment.js';
import type { Figures } from './figures.js';

const FOLDER = new URL('../../../api/migrations/', import.meta.url);
const FILES = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.sql'))
  .toSorted();

/** Migrations that are there before: the next builds its indexes outside of a transaction. */
const APPLIED = 3;
/** Milliseconds of a migration in which it is killed, and for which the transaction beside it stays open after that. */
const KILLED_WITHIN = 2_000;
const OPEN_FOR = 3_000;

/** Every index, and whether it is complete. */
const INDEXES = `SELECT indexrelid::regclass || ' ' || indisvalid AS index FROM pg_index
  WHERE indrelid = 'bookings'::regclass ORDER BY 1`;

/** Kills a migration at any moment, mostly beside an open transaction, and starts two others at once: both complete it. */
export async function killedMigrations(bench: Bench, times: number, bookings: number): Promise<Figures> {
  const violations: Violations = [];
  const whole = await migrated(bench, 'migrations_whole', 0, async (url) => void (await migrate(url).ended));
  for (let number = 1; number <= times; number++) {
    const fault = (what: string): void => void violations.push(`Migration ${number}: ${what}`);
    const left = await migrated(bench, `migrations_killed_${number}`, bookings, async (url, client) => {
      if (bench.random.chance(0.75)) await client.query('BEGIN; UPDATE bookings SET json = json WHERE false');
      const killed = migrate(url);
      await sleep(bench.random.below(KILLED_WITHIN));
      killed.kill();
      const next = [migrate(url), migrate(url)];
      await sleep(bench.random.below(OPEN_FOR));
      await client.query('COMMIT');
      for (const { code, stderr } of await Promise.all(next.map(({ ended }) => ended))) {
        if (code !== 0) fault(`the next ends with ${code}: ${stderr}`);
      }
    });
    if (left !== whole) fault(`the schema is ${left}, not ${whole}`);
    bench.say(`migration killed ${number} of ${times}`);
  }
  return { scenario: 'kill -9 of a migration', size: `${times}, ${bookings} bookings`, violations };
}

/** @returns the indexes and the files of a database in which `work` completes the schema */
async function migrated(
  { postgres }: Bench,
  database: string,
  bookings: number,
  work: (url: string, client: Client) => Promise<void>,
): Promise<string> {
  await postgres.createDatabase(database);
  return postgres.withClient(database, async (client) => {
    await client.query(`SET ROLE ${SERVICE_ROLE}`);
    await makeOldSchema(client);
    await client.query(
      `INSERT INTO bookings (booking_id, resource_id, slot_start, slot_end, json)
        SELECT gen_random_uuid(), 'room-' || n % 50, n, n + 50, '{}' FROM generate_series(1, $1) AS n`,
      [bookings],
    );
    await work(postgres.url(database), client);
    const { rows: indexes } = await client.query<{ index: string }>(INDEXES);
    const { rows: files } = await client.query<{ file: string }>('SELECT file FROM schema_migrations ORDER BY version');
    return [...indexes.map(({ index }) => index), ...files.map(({ file }) => file)].join(', ');
  });
}

/** As an older version left it, which did not know `oldest`. */
async function makeOldSchema(client: Client): Promise<void> {
  await client.query(`CREATE TABLE schema_migrations (
    version integer PRIMARY KEY, file text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
  for (const [index, file] of FILES.slice(0, APPLIED).entries()) {
    const sql = readFileSync(new URL(file, FOLDER), 'utf8');
    await client.query(sql);
    const checksum = createHash('sha256').update(sql).digest('hex');
    await client.query('INSERT INTO schema_migrations VALUES ($1, $2, $3)', [index + 1, file, checksum]);
  }
}

/** The command of the built service. */
function migrate(url: string): { kill(): void; ended: Promise<{ code: number | null; stderr: string }> } {
  const child = spawn(process.execPath, [programOf('cli/migrate.js')], {
    env: { DATABASE_URL: url },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = Promise.all([once(child, 'close'), text(child.stderr)]).then(([[code], stderr]) => ({
    code: code as number | null,
    stderr,
  }));
  return { kill: () => void child.kill('SIGKILL'), ended };
}
