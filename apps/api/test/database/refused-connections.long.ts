import dns from 'node:dns';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'supertest';
import { LocalPostgres, query, until } from 'testing';
import { api } from '../support/api.js';
import { aKey, aResource, aSlot } from '../support/bookings.js';
import { createServingRole } from '../support/roles.js';
import { type RunningApp, startApp } from '../support/start-app.js';

/** Milliseconds without a request: more than an unused connection is kept. */
const QUIET = 20_000;
/** Creates at once, and lists: more than a replica has connections. */
const CALLERS = 12;

/** Milliseconds; one of the tests waits for the first, and only a hang takes the second. */
const LIMITS = { DATABASE_CONNECT_TIMEOUT_MS: '5000', DATABASE_STATEMENT_TIMEOUT_MS: '60000' };

const { jest } = import.meta;

interface Replica extends RunningApp {
  readonly role: string;
}

interface Refusal {
  readonly case: string;
  /** How the server, or the way to it, comes to refuse new connections. */
  refuse(replica: Replica): Promise<unknown>;
  accept(replica: Replica): Promise<unknown>;
  /** Changes the address of the replica's database. */
  address?(url: URL): void;
  /** What the log says. */
  readonly cause: RegExp;
}

const REFUSALS: Refusal[] = [
  // First, as the longest.
  {
    case: 'the name servers do not respond',
    refuse: async () => (isSilent = true),
    accept: async () => (isSilent = false),
    address: (url) => void (url.hostname = SILENT),
    cause: /no response|timeout/,
  },
  {
    case: 'others have taken its connections',
    refuse: ({ role }) => run(`ALTER ROLE ${role} CONNECTION LIMIT 0`),
    accept: ({ role }) => run(`ALTER ROLE ${role} CONNECTION LIMIT -1`),
    cause: /53300/,
  },
];

/** A name that only these tests know. */
const SILENT = 'silent.test';
let isSilent = false;
const { lookup } = dns;
const lookUp = (name: string, options: dns.LookupOptions, done: (error: Error | null, ...found: unknown[]) => void) => {
  if (name !== SILENT || !isSilent) lookup(name === SILENT ? '127.0.0.1' : name, options, done);
};
jest.spyOn(dns, 'lookup').mockImplementation(lookUp as typeof lookup);

const replicas = new Map<Refusal, Replica>();
let server: LocalPostgres;

const run = <Row>(sql: string): Promise<Row[]> => query(server.url('bookings'), sql);

async function startReplica(refusal: Refusal): Promise<Replica> {
  const { name: role, url: text } = await createServingRole({
    url: server.url('bookings'),
    query: run,
    drop: async () => {},
  });
  const url = new URL(text);
  refusal.address?.(url);
  return { role, ...(await startApp({ DATABASE_URL: url.href, ...LIMITS })) };
}

/** Each test waits for it, since concurrent ones begin before hooks do. */
const quiet = startReplicas();

async function startReplicas(): Promise<void> {
  server = await LocalPostgres.start();
  await server.createDatabase('bookings');
  for (const refusal of REFUSALS) replicas.set(refusal, await startReplica(refusal));
  await Promise.all([...replicas.values()].map(request));
  await sleep(QUIET);
}

afterAll(async () => {
  for (const replica of replicas.values()) await replica.close();
  await server.stop();
  jest.restoreAllMocks();
});

/** Sends creates and lists at once. @returns their statuses, without repetitions */
async function request({ url }: Replica): Promise<{ creates: number[]; lists: number[] }> {
  const create = () =>
    api(url)
      .post('/v1/bookings')
      .set('Idempotency-Key', aKey())
      .send({ slot: aSlot(aResource()) });
  const list = () => api(url).get('/v1/bookings');
  const statuses = async (send: () => Test): Promise<number[]> => {
    const responses = await Promise.all(Array.from({ length: CALLERS }, send));
    return [...new Set(responses.map(({ status }) => status))];
  };
  const [creates, lists] = await Promise.all([statuses(create), statuses(list)]);
  return { creates, lists };
}

const readiness = async ({ url }: Replica): Promise<number> => (await fetch(`${url}/health/ready`)).status;
const metric = async (replica: Replica, name: string): Promise<number> => {
  const text = await replica.metrics();
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length));
};

/** Waits for further checks of the replica. */
async function isChecked(replica: Replica): Promise<void> {
  const checks = () => metric(replica, 'bookings_store_duration_seconds_count{operation="check",outcome="ok"}');
  const before = await checks();
  await until(async () => (await checks()) > before + 1);
}

async function expectReadyWhileItCreates(refusal: Refusal): Promise<void> {
  await quiet;
  const replica = replicas.get(refusal)!;
  await until(async () => (await metric(replica, 'database_pool_connections')) <= 4);
  await refusal.refuse(replica);
  await isChecked(replica);
  expect(await request(replica)).toEqual({ creates: [201], lists: [200] });
  await until(async () => (await readiness(replica)) === 200);
  await isChecked(replica);
  await run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE usename = '${replica.role}' AND query ~ 'set_up|isReadOnly|pg_is_in_recovery'`);
  await until(async () => (await readiness(replica)) === 503);
  expect(await metric(replica, 'database_up')).toBe(0);
  expect(await request(replica)).toEqual({ creates: [503], lists: [200] });
  // On a busy machine a check can take its two seconds: then only the creates that failed say why.
  const line = replica.logged.findLast((text) => text.includes('Not ready'))!;
  expect(line).toMatch(new RegExp(`${refusal.cause.source}|no response within 2000 ms`));
  expect(replica.logged).toContainEqual(expect.stringMatching(refusal.cause));
  await refusal.accept(replica);
  await until(async () => (await readiness(replica)) === 200);
  expect(await request(replica)).toEqual({ creates: [201], lists: [200] });
}

it.concurrent.each(REFUSALS)(
  'A replica is ready exactly while it can create after a quiet time: $case',
  expectReadyWhileItCreates,
);
