import { createServer, Socket } from 'node:net';
import type { Client } from 'pg';
import { listen, TcpProxy, until } from 'testing';
import { PostgresBookingsRepository } from '../../src/bookings/postgres/postgres-bookings.repository.js';
import { databaseSettings } from '../../src/cli/with-database.js';
import { Connection } from '../../src/platform/database/connection.js';
import type { Database } from '../../src/platform/database/database.js';
import { openSession } from '../../src/platform/database/session.js';
import { prepared, type Statement } from '../../src/platform/database/statement.js';
import { aBooking } from '../bookings/arbitrary-bookings.js';
import { openDatabase, useDatabase } from '../support/open-database.js';
import { createServingRole, dropRole } from '../support/roles.js';

/** Maximum statements on a connection. */
const MAX_ON_A_CONNECTION = 32;
/** Two connections for reads. */
const PATIENT = {
  DATABASE_POOL_SIZE: '3',
  DATABASE_CONNECT_TIMEOUT_MS: '60000',
  DATABASE_STATEMENT_TIMEOUT_MS: '60000',
};
/** Milliseconds of a test that fails if it waits for the limits of {@link PATIENT}. */
const WELL_BELOW_PATIENT = 30_000;

const NUMBER = prepared('SELECT $1::int AS n, pg_backend_pid() AS pid');
const SHORT = prepared('SELECT $1::int AS n, pg_backend_pid() AS pid', { isShort: true });
const FAIL = prepared('SELECT 1 / ($1::int - $1::int)');
const SLEEP: Statement = { text: 'SELECT pg_sleep(600)' };

describe('An open connection takes a statement', () => {
  const postgres = useDatabase();
  let admin: Client;
  let proxy: TcpProxy;
  let database: Database;

  beforeAll(async () => {
    admin = await postgres.connect();
  });
  beforeEach(async () => {
    proxy = await TcpProxy.start(Number(new URL(postgres.url).port));
  });
  afterEach(() => {
    database.close();
    proxy.close();
  });

  async function open(size: number, url = postgres.url): Promise<void> {
    database = await openDatabase(url, { ...PATIENT, DATABASE_POOL_SIZE: String(size) });
  }
  /** Opens a connection for reads and one for writes. */
  const openOfEach = () => Promise.all([database.read(SHORT, [0]), database.write(NUMBER, [0])]);

  /** Sends statements until there are so many connections. */
  const openReaders = (count: number, statement: Statement): Promise<unknown> =>
    until(async () => {
      await Promise.all([1, 2].map((n) => database.read(statement, [n])));
      return database.poolState.total === count;
    });

  /** Runs statements of each kind, which arrive at any point of those before them, also between two microtasks. */
  async function expectAllToRun(): Promise<void> {
    const running: Promise<unknown>[] = [];
    for (let n = 0; n < 100; n++) {
      running.push(database.read(SHORT, [n]), database.read(NUMBER, [n]), database.write(NUMBER, [n]));
      await Promise.resolve();
    }
    expect(await Promise.all(running)).toHaveLength(300);
  }

  it.each([2, 6])(
    'while another is opened in vain (%i connections)',
    async (size: number) => {
      await open(size, proxy.through(postgres.url));
      await openOfEach();
      proxy.hangNew();
      await expectAllToRun();
    },
    WELL_BELOW_PATIENT,
  );

  it.each([2, 6])(
    'while the server refuses another (%i connections)',
    async (size: number) => {
      const role = await createServingRole(postgres);
      await open(size, proxy.through(role.url));
      await openOfEach();
      await admin.query(`ALTER ROLE ${role.name} CONNECTION LIMIT 0`);
      await expectAllToRun();
      expect(database.poolState.total).toBe(2);
      await dropRole(postgres, role.name);
    },
    WELL_BELOW_PATIENT,
  );

  it.each([3, 6])(
    'while another closes (%i connections)',
    async (size: number) => {
      await open(size);
      await openReaders(2, NUMBER);
      const failing = database.read(FAIL, [1]);
      const behind = database.read(SLEEP).catch(() => {});
      await expect(failing).rejects.toThrow('division by zero');
      await expectAllToRun();
      database.close();
      await behind;
    },
    WELL_BELOW_PATIENT,
  );

  it(
    'that is short, after the one that was kept for it was lost',
    async () => {
      const list = (lock: number) => database.read({ text: 'SELECT pg_advisory_xact_lock_shared($1::int)' }, [lock]);
      await open(7, proxy.through(postgres.url));
      await openReaders(2, NUMBER);
      await admin.query('SELECT pg_advisory_lock(2), pg_advisory_lock(3)');
      const running = [list(2)];
      await openReaders(3, SHORT);
      running.push(list(3));
      const { rows } = await database.read<{ pid: number }>(SHORT, [0]);
      proxy.hangNew();
      await admin.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);
      await until(async () => database.poolState.total === 2);
      for (let n = 0; n < 2 * MAX_ON_A_CONNECTION; n++) running.push(list(2));
      const getting = database.read(SHORT, [0]);
      await admin.query('SELECT pg_advisory_unlock(3)');
      expect((await getting).rows).toHaveLength(1);
      await admin.query('SELECT pg_advisory_unlock(2)');
      await Promise.all(running);
    },
    WELL_BELOW_PATIENT,
  );

  it(
    'that may take long, once those on the other one have timed out',
    async () => {
      await open(3);
      await openReaders(2, NUMBER);
      await admin.query('SELECT pg_advisory_lock(2)');
      const list = { text: 'SELECT pg_advisory_xact_lock_shared(2)' };
      // Their time limit, 120 s, ends soon.
      const requestedAt = performance.now() - 119_700;
      const patient = database.read(list);
      const others = Array.from({ length: MAX_ON_A_CONNECTION - 1 }, () => database.read(list, [], requestedAt));
      const waiting = database.read(NUMBER, [0]);
      await Promise.allSettled(others);
      expect((await waiting).rows).toHaveLength(1);
      await admin.query('SELECT pg_advisory_unlock(2)');
      await patient;
    },
    WELL_BELOW_PATIENT,
  );

  it('after a silent one was closed, in whose place another is opened', async () => {
    await open(3);
    const settings = databaseSettings({ DATABASE_URL: proxy.through(postgres.url) });
    const state = { hasEnded: false };
    const sharing = { ...settings, maxUnanswered: 1, isPooled: false, holdsAbandoned: false };
    const events = { responded: () => {}, ended: () => void (state.hasEnded = true) };
    const socket = new Socket();
    const connection = new Connection(await openSession(sharing, socket), socket, sharing, events);
    proxy.hang();
    connection.close();
    await until(() => state.hasEnded);
  });
});

/** A message of PostgreSQL's protocol. @param parts texts, each of which ends with a zero byte, or bytes */
function message(type: string, ...parts: (string | number[])[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(typeof part === 'string' ? `${part}\0` : part)));
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + body.length);
  return Buffer.concat([Buffer.from(type), length, body]);
}

it('A session that ends together with its last response is not opened', async () => {
  const ready = message('Z', [73]);
  const isPrimary = [
    message('T', [0, 1], 'isStandby', [0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 1, 255, 255, 255, 255, 0, 0]),
    message('D', [0, 1, 0, 0, 0, 1, 102]),
    message('C', 'SELECT 1'),
  ];
  const end = message('E', 'SFATAL', 'C57P01', 'Mended', [0]);
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', [0, 0, 0, 0]), ready]));
      socket.once('data', () => socket.end(Buffer.concat([...isPrimary, ready, end])));
    });
  });
  const { port } = await listen(server);
  const settings = { ...databaseSettings({ DATABASE_URL: `postgres://127.0.0.1:${port}/a` }), isPooled: true };
  const socket = new Socket();
  await expect(openSession(settings, socket).finally(() => socket.destroy())).rejects.toThrow(
    'the connection was lost',
  );
  server.close();
});

describe('While lists wait on the server,', () => {
  const postgres = useDatabase({ env: PATIENT, settings: ['search_path = public, pg_catalog'] });

  it('gets and checks wait behind none of them', async () => {
    const admin = await postgres.connect();
    // Lists measure their rows, gets do not.
    await admin.query(`CREATE FUNCTION octet_length(text) RETURNS int LANGUAGE sql
      AS 'SELECT 1 FROM (SELECT pg_catalog.pg_advisory_xact_lock_shared(1)) AS unlocked'`);
    await admin.query('SELECT pg_advisory_lock(1)');
    const bookings = new PostgresBookingsRepository(postgres.database);
    const known = aBooking();
    await bookings.create(known);
    const state = { lists: 0 };
    const list = async (): Promise<void> => {
      await bookings.list({}, { limit: 10 });
      state.lists++;
    };
    const lists = Array.from({ length: 2 * MAX_ON_A_CONNECTION }, list);
    const gets = Array.from({ length: 4 * MAX_ON_A_CONNECTION }, () => bookings.find(known.bookingId));
    expect(await Promise.all([...gets, bookings.checkReady()])).toHaveLength(gets.length + 1);
    expect(state.lists).toBe(0);
    await until(async () => postgres.database.poolState.total === 3);
    expect(postgres.database.poolState.waiting).toBe(MAX_ON_A_CONNECTION);
    await admin.query('SELECT pg_advisory_unlock(1)');
    await Promise.all(lists);
  });
});
