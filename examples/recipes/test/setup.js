import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BookingNotFoundError, BookingsClient } from '@booking-service/client';
import { aSecret, freePort, LocalPostgres, query, ServiceProcess, temporaryFolder, webhookSettings } from 'testing';

const folder = temporaryFolder();
const deskPort = await freePort();

const token = 'recipes-token';
const keysFile = join(folder, 'keys');
/** @param {string} text */
const digest = (text) => createHash('sha256').update(text).digest('hex');
writeFileSync(keysFile, `recipes sha256:${digest(token)} bookings:read,bookings:write\n`);

const postgres = await LocalPostgres.start();
const service = await ServiceProcess.start({
  // A cancellation records an event, although the desk's role may write no events.
  ...webhookSettings({ name: 'away', url: 'http://127.0.0.1:9', secrets: [aSecret()] }),
  AUTH_API_KEYS_FILE: keysFile,
  DATABASE_URL: postgres.url('postgres'),
});
export const bookings = new BookingsClient({ baseUrl: service.url, token });

export const env = {
  PATH: process.env['PATH'],
  BOOKINGS_URL: service.url,
  BOOKINGS_TOKEN: token,
  DATABASE_URL: await deskUrl(),
  TOKENS: JSON.stringify({ [digest('ada-s')]: 'Ada' }),
  RECORD_FILE: join(folder, 'cancelled.jsonl'),
  CALENDAR_SECRET: 'open-sesame',
};

/** The URL for the role of docs/recipes.md, in a database where only owners may execute functions. */
async function deskUrl() {
  const recipes = readFileSync(new URL('../../../docs/recipes.md', import.meta.url), 'utf8');
  await query(postgres.url('postgres'), 'REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC');
  await query(postgres.url('postgres'), /```sql\n(.*?)```/s.exec(recipes)?.[1] ?? '');
  return Object.assign(new URL(postgres.url('postgres')), { username: 'bookings_desk', password: 'secret' }).href;
}

/** @type {import('node:child_process').ChildProcess[]} */
const servers = [];

export async function stop() {
  for (const server of servers) server.kill();
  await service.stop();
  await postgres.stop('SIGQUIT');
}

/** @param {string} name */
const programOf = (name) => fileURLToPath(new URL(`../src/${name}.js`, import.meta.url));

/** Starts a server. @param {string} name @param {number} port */
export async function serve(name, port) {
  const server = spawn(process.execPath, [programOf(name)], { env: { ...env, PORT: String(port) } });
  servers.push(server);
  server.stderr.pipe(process.stderr);
  await once(server.stdout, 'data');
}

/** The output of a recipe. @param {string} name @param {(string | number)[]} words */
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

/** @param {string} id */
export const cancel = async (id, headers = { Authorization: 'Bearer ada-s' }) =>
  (await fetch(`http://localhost:${deskPort}/bookings/${id}`, { method: 'DELETE', headers })).status;

await serve('cancel-desk', deskPort);
