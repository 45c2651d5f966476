import { createTestDatabase, sqlOf, TcpProxy, type TestDatabase, until } from 'testing';
import { alterDatabase } from '../support/alter-database.js';
import { api } from '../support/api.js';
import { aKey, aResource, aSlot } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

const LOST = { level: 'error', msg: 'Not ready', dependency: 'database' };
const FOUND = { level: 'warn', msg: 'Ready again', dependency: 'database' };
const CONSTRAINTS = ['slots_never_overlap', 'one_booking_for_a_key'];
/** Milliseconds that only a hang takes. */
const LIMITS = { DATABASE_CONNECT_TIMEOUT_MS: '60000', DATABASE_STATEMENT_TIMEOUT_MS: '60000' };
const CALLERS = 12;

let database: TestDatabase;
let proxy: TcpProxy;
let running: RunningApp;

beforeEach(async () => {
  database = await createTestDatabase();
  proxy = await startProxy();
});
afterEach(async () => {
  await running.close();
  proxy.close();
  await database.drop();
});

const startProxy = (port?: number): Promise<TcpProxy> => TcpProxy.start(Number(new URL(database.url).port), port);

async function start(port = proxy.port): Promise<void> {
  const url = new URL(database.url);
  url.port = String(port);
  running = await startApp({ DATABASE_URL: url.href, ...LIMITS });
}

const untilReadyIs = (status: number) =>
  until(async () => (await fetch(`${running.url}/health/ready`)).status === status);

/** Expects one line per turn, and one of them with `lost`. A busy machine may cause further turns. */
function expectTurns(lost: object): void {
  const lines = running.logged.filter((line) => /ready/i.test(line)).map((line) => JSON.parse(line) as object);
  expect(lines).toMatchObject(lines.map((_, index) => (index % 2 === 0 ? LOST : FOUND)));
  expect(lines).toContainEqual(expect.objectContaining({ ...LOST, ...lost }));
  expect(lines.at(-1)).toMatchObject(FOUND);
}

async function book(): Promise<number[]> {
  const create = async (): Promise<number> => {
    const payload = { slot: aSlot(aResource()) };
    const { status } = await api(running.url).post('/v1/bookings').set('Idempotency-Key', aKey()).send(payload);
    return status;
  };
  return [...new Set(await Promise.all(Array.from({ length: CALLERS }, create)))];
}

it.each(CONSTRAINTS)(
  'Without %s a service books nothing and logs why once, until the SQL of the runbook adds it',
  async (name) => {
    const adding = sqlOf('runbook.md', 'A constraint is missing').find((sql) => sql.includes(name))!;
    await start();
    expect(await book()).toEqual([201]);
    await untilReadyIs(200);
    await database.query(`ALTER TABLE bookings DROP CONSTRAINT ${name}`);
    expect(await book()).toEqual([503]);
    expect(await database.query('SELECT FROM bookings')).toHaveLength(CALLERS);
    await api(running.url).get('/v1/bookings').expect(200);
    await untilReadyIs(503);
    await database.query(adding);
    await untilReadyIs(200);
    expect(await book()).toEqual([201]);
    const reason = expect.stringMatching(new RegExp(`lacks ${name}, .*"Restore a backup"`));
    expectTurns({ reason });
  },
);

it('A service is not ready while its database is read-only', async () => {
  await start();
  await alterDatabase(database, ['default_transaction_read_only = on']);
  await untilReadyIs(503);
  await alterDatabase(database, ['default_transaction_read_only = off']);
  await untilReadyIs(200);
  expectTurns({ reason: expect.stringContaining('read_only on') as unknown });
});

it('The loss of the database is logged once and shown in the metrics, and its return is logged once', async () => {
  await start();
  const metrics = async (): Promise<string[]> =>
    (await (await fetch(`${running.url}/metrics`)).text()).match(/^database_\w+ \d+$/gm)!.toSorted();
  await untilReadyIs(200);
  expect(await metrics()).toEqual([
    'database_pool_connections 2',
    'database_pool_idle_connections 2',
    'database_pool_max_connections 6',
    'database_pool_waiting_statements 0',
    'database_up 1',
  ]);
  proxy.hang();
  await untilReadyIs(503);
  expect(await metrics()).toContain('database_up 0');
  proxy.goOn();
  await untilReadyIs(200);
  expectTurns({ reason: expect.stringMatching(/within 2000 ms/) as unknown });
});

it('A database that is down at the start is logged once with the cause, and its return once', async () => {
  const { port } = proxy;
  proxy.close();
  await start(port);
  await untilReadyIs(503);
  proxy = await startProxy(port);
  await untilReadyIs(200);
  expectTurns({ cause: expect.stringContaining('ECONNREFUSED') as unknown });
});
