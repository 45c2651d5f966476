import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BookingNotFoundError, BookingsClient } from '@booking-service/client';
import pg from 'pg';
import { aSecret, freePort, LocalPostgres, ServiceProcess } from 'testing';

const folder = mkdtempSync(join(tmpdir(), 'recipes-'));
const data = mkdtempSync(join(tmpdir(), 'recipes-data-'));
export const secret = aSecret();
export const receiverPort = await freePort();
const deskPort = await freePort();

const webhooks = join(folder, 'webhooks.json');
const endpoint = { name: 'recipes', url: `http://127.0.0.1:${receiverPort}/`, secrets: [secret], from: 'first' };
writeFileSync(webhooks, JSON.stringify({ endpoints: [endpoint] }));

const postgres = await LocalPostgres.start(data);
const service = await ServiceProcess.start({
  DATABASE_URL: postgres.url('postgres'),
  WEBHOOKS_FILE: webhooks,
  WEBHOOKS_ALLOW_PRIVATE: 'true',
});
export const bookings = new BookingsClient({ baseUrl: service.url });

/** The environment of every recipe. */
export const env = {
  PATH: process.env['PATH'],
  BOOKINGS_URL: service.url,
  DATABASE_URL: await deskUrl(),
  DESK_URL: `http://localhost:${deskPort}`,
  DESK_TOKEN: 'ada-s',
  TOKENS: JSON.stringify({ [createHash('sha256').update('ada-s').digest('hex')]: 'Ada' }),
  RECORD_FILE: join(folder, 'cancelled.jsonl'),
  PAID_FILE: join(folder, 'paid.txt'),
  CALENDAR_SECRET: 'open-sesame',
};

/** The role that docs/recipes.md makes, in a database where only owners may execute functions of the schema. */
async function deskUrl() {
  const recipes = readFileSync(new URL('../../../docs/recipes.md', import.meta.url), 'utf8');
  const client = new pg.Client({ connectionString: postgres.url('postgres') });
  await client.connect();
  await client.query('REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC');
  await client.query(/```sql\n(.*?)```/s.exec(recipes)?.[1] ?? '');
  await client.end();
  return Object.assign(new URL(postgres.url('postgres')), { username: 'bookings_desk', password: 'secret' }).href;
}

/** @type {import('node:child_process').ChildProcess[]} */
const servers = [];

export async function stop() {
  for (const server of servers) server.kill();
  await service.stop();
  await postgres.stop('SIGQUIT');
  for (const each of [folder, data]) rmSync(each, { recursive: true, force: true });
}

/** @param {string} name */
const programOf = (name) => fileURLToPath(new URL(`../src/${name}.js`, import.meta.url));

/** Starts a recipe that serves. @param {string} name @param {number} port @param {string[]} words @returns its lines */
export async function serve(name, port, ...words) {
  const server = spawn(process.execPath, [programOf(name), ...words], { env: { ...env, PORT: String(port) } });
  servers.push(server);
  server.stderr.pipe(process.stderr);
  /** @type {string[]} */
  const lines = [];
  server.stdout.on('data', (chunk) => lines.push(...String(chunk).trim().split('\n')));
  await once(server.stdout, 'data');
  return lines;
}

/** What a recipe prints. @param {string} name @param {(string | number)[]} words */
export async function run(name, ...words) {
  return (await promisify(execFile)(process.execPath, [programOf(name), ...words.map(String)], { env })).stdout.trim();
}

/** @param {string} hour */
export const at = (hour) => `2027-03-01T${hour}:00Z`;

/** @param {string} resource_id @param {string} from @param {string} until @param {object} [details] */
export const book = (resource_id, from, until, details) =>
  bookings.create({ slot: { resource_id, start: at(from), end: at(until) }, ...details });

/** @param {string} id */
export const isGone = (id) =>
  bookings.get(id).then(
    () => false,
    (error) => error instanceof BookingNotFoundError,
  );

/** Has the desk cancel a booking, or another path. @param {string} id */
export const cancel = async (id, headers = { Authorization: `Bearer ${env.DESK_TOKEN}` }) =>
  (await fetch(`${env.DESK_URL}/bookings/${id}`, { method: 'DELETE', headers })).status;

await serve('cancel-desk', deskPort);
