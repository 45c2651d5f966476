import { Socket } from 'node:net';
import { Client } from 'pg';
import { LocalPostgres, temporaryFolder, until } from 'testing';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import type { Database } from '../../src/platform/database/database.js';
import { DatabaseUnavailable } from '../../src/platform/database/postgres-errors.js';
import { prepared, type Statement } from '../../src/platform/database/statement.js';
import { aBooking } from '../bookings/arbitrary-bookings.js';
import { openDatabase } from '../support/open-database.js';

const { jest } = import.meta;

/** Statements that wait for the same connection. */
const COUNT = 12;
/** Maximum statements on a connection. */
const MAX_ON_A_CONNECTION = 32;
/** One connection for reads, a short limit of the server, and a long one for what is behind. */
const ONE_READER = {
  DATABASE_POOL_SIZE: '2',
  DATABASE_CONNECT_TIMEOUT_MS: '30000',
  DATABASE_STATEMENT_TIMEOUT_MS: '1000',
};
const QUICK = { DATABASE_POOL_SIZE: '2', DATABASE_CONNECT_TIMEOUT_MS: '1000', DATABASE_STATEMENT_TIMEOUT_MS: '1000' };

const PID = prepared('SELECT pg_backend_pid() AS pid');
const NUMBER = prepared('SELECT $1::int AS n, pg_backend_pid() AS pid');
const FAIL = prepared('SELECT 1 / ($1::int - $1::int)');
const SLEEP: Statement = { text: 'SELECT pg_sleep(600)' };

const UNAVAILABLE = { status: 'rejected', reason: expect.any(DatabaseUnavailable) as unknown };

let folder: string;
let server: LocalPostgres;
let admin: Client;
let database: Database;

async function startServer(options: { port?: number } = {}): Promise<void> {
  server = await LocalPostgres.start(folder, [], options);
  await server.createDatabase('bookings');
  admin = new Client({ connectionString: server.url('bookings') });
  admin.on('error', () => {});
  await admin.connect();
}

beforeAll(async () => {
  folder = temporaryFolder();
  await startServer();
});
afterAll(async () => {
  await admin.end();
  await server.stop();
});
afterEach(() => database.close());

async function open(env: Record<string, string>): Promise<void> {
  database = await openDatabase(server.url('bookings'), env);
}

const pidOf = async (): Promise<number> => (await database.read<{ pid: number }>(PID)).rows[0]!.pid;
const numbers = (first = 0): Promise<unknown>[] =>
  Array.from({ length: COUNT }, async (_, n) => (await database.read<{ n: number }>(NUMBER, [first + n])).rows[0]);

/** Expects that only the statement in the middle fails, and that each other one gets its own row, on one connection. */
async function expectOnlyItsOwnError(
  middle: Statement,
  values: unknown[],
  reason: unknown,
  whileRunning = async () => {},
) {
  const pid = await pidOf();
  const before = numbers();
  const failing = database.read(middle, values);
  const after = numbers(COUNT);
  await whileRunning();
  const outcomes = await Promise.allSettled([failing, ...before, ...after]);
  expect(outcomes[0]).toMatchObject({ status: 'rejected', reason });
  const rows = Array.from({ length: 2 * COUNT }, (_, n) => ({ status: 'fulfilled', value: { n, pid } }));
  expect(outcomes.slice(1)).toEqual(rows);
  expect(await Promise.all(numbers())).toHaveLength(COUNT);
}

async function pidThatRuns(text: string): Promise<number> {
  const find = `SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query = '${text}'`;
  let pid: number | undefined;
  await until(async () => {
    pid = (await admin.query<{ pid: number }>(find)).rows[0]?.pid;
    return pid !== undefined;
  });
  return pid!;
}

describe('A read that shares a connection fails alone', () => {
  beforeEach(() => open(ONE_READER));

  it('if it has an error', () => expectOnlyItsOwnError(FAIL, [1], expect.objectContaining({ code: '22012' })));

  it('if it cannot be prepared', () =>
    expectOnlyItsOwnError(prepared('SELECT nothing'), [], expect.objectContaining({ code: '42703' })));

  it('if it exceeds its time limit', () => expectOnlyItsOwnError(SLEEP, [], expect.any(DatabaseUnavailable)));

  it('if an operator cancels it', async () => {
    database.close();
    await open({ ...ONE_READER, DATABASE_STATEMENT_TIMEOUT_MS: '60000' });
    await expectOnlyItsOwnError(SLEEP, [], expect.any(DatabaseUnavailable), async () => {
      await admin.query('SELECT pg_cancel_backend($1)', [await pidThatRuns(SLEEP.text)]);
    });
  });
});

it('Reads of one turn are sent in one packet, without waiting for each other', async () => {
  await open(ONE_READER);
  await Promise.all(numbers());
  const packets = jest.spyOn(Socket.prototype, '_writev');
  const single = jest.spyOn(Socket.prototype, '_write');
  await Promise.all(numbers());
  expect([packets.mock.calls.length, single.mock.calls.length]).toEqual([1, 0]);
  packets.mockRestore();
  single.mockRestore();
});

it('Each statement tells Pgpool-II to ask the primary', async () => {
  await open(ONE_READER);
  const bookings = new PostgresBookingsRepository(database);
  const booking = aBooking({ resource: 'room' });
  const steps = [
    () => bookings.create(booking),
    () => bookings.find(booking.bookingId),
    () => bookings.list({ resourceId: 'room' }, { limit: 1 }),
    () => bookings.checkReady(),
  ];
  const sent = new Set<string>();
  for (const step of steps) {
    await step();
    const { rows } = await admin.query<{ query: string }>(
      `SELECT query FROM pg_stat_activity WHERE application_name = 'booking-service'`,
    );
    for (const { query } of rows) sent.add(query);
  }
  // Pgpool-II itself sends this one to the primary.
  sent.delete('SELECT pg_is_in_recovery() AS "isStandby"');
  expect(sent.size).toBeGreaterThanOrEqual(5);
  expect([...sent].filter((query) => !query.startsWith('/*NO LOAD BALANCE*/'))).toEqual([]);
});

it('A statement has no members of its own, which the driver would copy for each query', () => {
  expect(Object.getOwnPropertyNames(NUMBER)).toEqual([]);
});

it('A later statement of a request comes before those of later requests', async () => {
  await open(ONE_READER);
  await admin.query('CREATE SEQUENCE arrivals');
  const first = async (requestedAt: number): Promise<unknown> =>
    (await database.read({ text: `SELECT nextval('arrivals')` }, [], requestedAt)).rows[0];
  const now = performance.now();
  const others = Array.from({ length: MAX_ON_A_CONNECTION }, () => database.read(NUMBER, [0]));
  expect(await Promise.all([first(now), first(now - 1)])).toEqual([{ nextval: '2' }, { nextval: '1' }]);
  await Promise.all(others);
  await admin.query('DROP SEQUENCE arrivals');
});

it('Reads are run again if their session has lost its prepared statements', async () => {
  await open(ONE_READER);
  await Promise.all(numbers());
  await database.read({ text: 'DEALLOCATE ALL' });
  expect(await Promise.all(numbers())).toEqual(Array.from({ length: COUNT }, (_, n) => expect.objectContaining({ n })));
});

it.each(['lock_not_available', 'query_canceled'])(
  'A statement that the server ends keeps its connection: %s',
  async (end) => {
    await open(ONE_READER);
    const pid = await pidOf();
    const ended = database.read({ text: `DO $$ BEGIN RAISE ${end}; END $$` });
    await expect(ended).rejects.toThrow(DatabaseUnavailable);
    expect(await pidOf()).toBe(pid);
  },
);

it('A long statement comes before short ones that arrived later', async () => {
  await open(ONE_READER);
  await admin.query('CREATE SEQUENCE turns');
  const turn = (isShort: boolean) => database.read<{ nextval: string }>({ text: `SELECT nextval('turns')`, isShort });
  const others = Array.from({ length: MAX_ON_A_CONNECTION }, () => database.read(NUMBER, [0]));
  const [first, second] = await Promise.all([turn(false), turn(true)]);
  expect([first.rows, second.rows]).toEqual([[{ nextval: '1' }], [{ nextval: '2' }]]);
  await Promise.all(others);
  await admin.query('DROP SEQUENCE turns');
});

it.each(['read', 'write'] as const)('A statement is not sent after its time limit (%s)', async (send) => {
  await open(QUICK);
  const takeNumber: Statement = { text: `SELECT nextval('late')` };
  await admin.query('CREATE SEQUENCE late');
  // A connection is idle.
  await database[send]({ text: 'SELECT' });
  await expect(database[send](takeNumber, [], performance.now() - 2_001)).rejects.toThrow(DatabaseUnavailable);
  const { rows } = await database[send](takeNumber);
  await admin.query('DROP SEQUENCE late');
  expect(rows).toEqual([{ nextval: '1' }]);
});

describe('Reads on a connection', () => {
  it.each(['hangs', 'is lost'])('that %s are rejected in time, and the next gets another connection', async (fault) => {
    await open(QUICK);
    const pid = await pidOf();
    if (fault === 'hangs') process.kill(pid, 'SIGSTOP');
    const reading = Promise.allSettled(fault === 'hangs' ? numbers() : [database.read(SLEEP), ...numbers()]);
    if (fault === 'is lost') await admin.query('SELECT pg_terminate_backend($1)', [await pidThatRuns(SLEEP.text)]);
    for (const outcome of await reading) expect(outcome).toMatchObject(UNAVAILABLE);
    expect(await pidOf()).not.toBe(pid);
    if (fault === 'hangs') process.kill(pid, 'SIGCONT');
  });

  it('of a server that stops are rejected, and served once it is back', async () => {
    await open(QUICK);
    const { port } = server;
    await pidOf();
    const reading = Promise.allSettled([database.read(SLEEP), ...numbers()]);
    await pidThatRuns(SLEEP.text);
    await server.stop();
    for (const outcome of await reading) expect(outcome).toMatchObject(UNAVAILABLE);
    await expect(pidOf()).rejects.toThrow(DatabaseUnavailable);
    await startServer({ port });
    expect(await Promise.all(numbers())).toHaveLength(COUNT);
  });

  it('are rejected when the service stops', async () => {
    await open(QUICK);
    const reading = Promise.allSettled([database.read(SLEEP), ...numbers()]);
    await pidThatRuns(SLEEP.text);
    database.close();
    for (const outcome of await reading) expect(outcome).toMatchObject(UNAVAILABLE);
    await open(QUICK);
  });
});
