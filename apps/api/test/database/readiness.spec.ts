import { createTestDatabase, sqlOf, TcpProxy, type TestDatabase, until } from 'testing';
import { alterDatabase } from '../support/alter-database.js';
import { api } from '../support/api.js';
import { aKey, aResource, aSlot } from '../support/bookings.js';
import { onServer } from '../support/pooled.js';
import { createServingRole, dropRole } from '../support/roles.js';
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

async function open(): Promise<void> {
  database = await createTestDatabase();
  proxy = await startProxy();
}

async function close(): Promise<void> {
  await running.close();
  proxy.close();
  await database.drop();
}

const startProxy = (port?: number): Promise<TcpProxy> => TcpProxy.start(Number(new URL(database.url).port), port);

async function start(databaseUrl = database.url): Promise<void> {
  running = await startApp({ DATABASE_URL: proxy.through(databaseUrl), ...LIMITS });
}

const untilReadyIs = (status: number) =>
  until(async () => (await fetch(`${running.url}/health/ready`)).status === status);

/** Expects one line per turn, and one of them with `lost`. A busy machine may cause further turns. */
function expectTurns(lost: object, logged = running.logged): void {
  const lines = logged.filter((line) => /ready/i.test(line)).map((line) => JSON.parse(line) as object);
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

const NOTHING = 'CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;';
const EVERY_TABLE = ['schema_migrations', 'bookings', 'webhook_endpoints', 'webhook_deliveries'];
let role: { name: string; url: string };

/** SQL with the names of this file's role and database. */
const sql = (text: string): string =>
  text
    .replaceAll(/(?<=ROLE |OWNER TO )bookings/g, role.name)
    .replaceAll('DATABASE bookings', `DATABASE ${new URL(database.url).pathname.slice(1)}`);

/** The SQL below a heading of the runbook that contains a text. */
const mending = (heading: string, text: string): string =>
  sql(sqlOf('runbook.md', heading).find((statements) => statements.includes(text))!);

describe('A service', () => {
  /** Lines of the log before the test. */
  let before: number;

  beforeAll(async () => {
    await open();
    role = await createServingRole(database);
    await start(role.url);
  });
  beforeEach(async () => {
    await untilReadyIs(200);
    before = running.logged.length;
  });
  afterAll(async () => {
    await dropRole(database, role.name);
    await close();
  });

  const expectReason = (reason: string | RegExp): void =>
    expectTurns({ reason: expect.stringMatching(reason) as unknown }, running.logged.slice(before));

  it.each(CONSTRAINTS)(
    'books nothing without %s and logs why once, until the SQL of the runbook adds it',
    async (name) => {
      const count = async () => (await database.query('SELECT FROM bookings')).length;
      expect(await book()).toEqual([201]);
      const kept = await count();
      await database.query(`ALTER TABLE bookings DROP CONSTRAINT ${name}`);
      try {
        expect(await book()).toEqual([503]);
        expect(await count()).toBe(kept);
        await api(running.url).get('/v1/bookings').expect(200);
        await untilReadyIs(503);
      } finally {
        await database.query(mending('A constraint is missing', name));
      }
      await untilReadyIs(200);
      expect(await book()).toEqual([201]);
      expectReason(new RegExp(`lacks ${name}, .*"Restore a backup"`));
    },
  );

  /** Makes the database read-only until the reason is logged: a check that is cut by the end of its session has another. */
  async function expectReadOnly(makeReadOnly: () => Promise<unknown>, reason: RegExp): Promise<void> {
    await until(async () => {
      await makeReadOnly();
      await untilReadyIs(503);
      await alterDatabase(database, ['default_transaction_read_only = off']);
      await untilReadyIs(200);
      const lines = running.logged.slice(before).map((line) => JSON.parse(line) as { reason?: string });
      return lines.some((line) => reason.test(line.reason ?? ''));
    });
    expectReason(reason);
  }

  it('is not ready while its database is read-only', () =>
    expectReadOnly(
      () => alterDatabase(database, ['default_transaction_read_only = 1']),
      /default_transaction_read_only = on: reset it\.$/,
    ));

  it('is not ready while only its session for writes is read-only', () => {
    // Through a pooler, the check of the schema may get the same session.
    const isDirect = onServer(database.url) === database.url;
    return expectReadOnly(
      async () => {
        await database.query(sql('ALTER DATABASE bookings SET default_transaction_read_only = yes'));
        await database.query(
          `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database()
            AND application_name = 'booking-service' AND query ~ 'INSERT INTO bookings|isReadOnly'`,
        );
      },
      isDirect ? /^The session for writes is read-only\.$/ : /read.only/,
    );
  });

  const POLICIES = 'ROW LEVEL SECURITY';
  const hidesRowsOf = (tables: string): string => `row level security hides rows of ${tables} from the role`;
  const SETTING = 'session_replication_role';
  const IS_REPLICA = `the database or the role has ${SETTING} = replica`;

  it.each<[what: string, breaking: string, fault: string, mends: string[]]>([
    [
      'policies of every table',
      EVERY_TABLE.map((table) => `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`).join(';'),
      hidesRowsOf(EVERY_TABLE.join(' and ')),
      [POLICIES],
    ],
    [
      'policies that hold for the owner too',
      'ALTER TABLE bookings OWNER TO bookings; ALTER TABLE bookings ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY',
      hidesRowsOf('bookings'),
      [POLICIES],
    ],
    [
      'a rule and triggers',
      `${NOTHING}
      CREATE RULE audit AS ON INSERT TO bookings DO INSTEAD NOTHING;
      CREATE TRIGGER audit BEFORE INSERT ON bookings FOR EACH ROW EXECUTE FUNCTION nothing();
      CREATE TRIGGER harmless BEFORE UPDATE ON bookings FOR EACH ROW EXECUTE FUNCTION nothing();
      CREATE TRIGGER replicated BEFORE INSERT ON bookings FOR EACH ROW EXECUTE FUNCTION nothing();
      ALTER TABLE bookings ENABLE REPLICA TRIGGER replicated;
      CREATE TRIGGER own BEFORE UPDATE ON webhook_deliveries FOR EACH ROW EXECUTE FUNCTION nothing()`,
      'the rule audit on bookings and the trigger audit on bookings and the trigger own on webhook_deliveries can swallow rows',
      ['RULE', 'TRIGGER'],
    ],
    ['triggers off for its database', `ALTER DATABASE bookings SET ${SETTING} = replica`, IS_REPLICA, [SETTING]],
    ['triggers off for its role', `ALTER ROLE bookings SET ${SETTING} = replica`, IS_REPLICA, [SETTING]],
  ])('is not ready, says why, and does not start again, with %s', async (_, breaking, fault, mends) => {
    await database.query(sql(breaking));
    try {
      await untilReadyIs(503);
      await expect(startApp({ DATABASE_URL: role.url })).rejects.toThrow(new RegExp(`^${fault}`));
    } finally {
      for (const text of mends) await database.query(mending('Rows go missing', text));
      await database.query('DROP TRIGGER IF EXISTS own ON webhook_deliveries');
    }
    await untilReadyIs(200);
    expectReason(fault);
  });
});

describe('A service with a database of its own', () => {
  beforeEach(open);
  afterEach(close);

  it('is ready where rules, triggers and policies only add, or are off', async () => {
    role = await createServingRole(database);
    await database.query(
      sql(`
      ${NOTHING}
      CREATE TRIGGER audit AFTER INSERT OR DELETE ON bookings FOR EACH ROW EXECUTE FUNCTION nothing();
      CREATE TRIGGER once BEFORE INSERT ON bookings FOR EACH STATEMENT EXECUTE FUNCTION nothing();
      CREATE TRIGGER off BEFORE INSERT ON bookings FOR EACH ROW EXECUTE FUNCTION nothing();
      ALTER TABLE bookings DISABLE TRIGGER off;
      CREATE RULE off AS ON INSERT TO webhook_deliveries DO INSTEAD NOTHING;
      ALTER TABLE webhook_deliveries DISABLE RULE off;
      CREATE TABLE other (); ALTER TABLE other ENABLE ROW LEVEL SECURITY;
      ALTER TABLE webhook_endpoints ENABLE ROW LEVEL SECURITY;
      CREATE PUBLICATION everything FOR ALL TABLES;
      ALTER DATABASE bookings SET session_replication_role = replica;
      ALTER ROLE bookings SET session_replication_role = origin;
      ALTER ROLE bookings BYPASSRLS`),
    );
    await start(role.url);
    await untilReadyIs(200);
    expect(await book()).toEqual([201]);
    await dropRole(database, role.name);
  });

  it('logs the loss of the database once, shows it in the metrics, and logs its return once', async () => {
    await start();
    const metrics = async (): Promise<string[]> =>
      (await running.metrics()).match(/^(?:database|bookings_queued)_\w+ \d+$/gm)!.toSorted();
    await untilReadyIs(200);
    let idle: string[] = [];
    await until(async () => {
      idle = await metrics();
      return idle.some((line) => /_idle_connections [23]$/.test(line));
    });
    // One for reads and one for writes, and another if a check and events wrote at once.
    expect(idle).toEqual([
      'bookings_queued_creates 0',
      expect.stringMatching(/^database_pool_connections [23]$/),
      expect.stringMatching(/^database_pool_idle_connections [23]$/),
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

  it('logs a database that is down at the start once with the cause, and its return once', async () => {
    proxy.close();
    await start();
    await untilReadyIs(503);
    proxy = await startProxy(proxy.port);
    await untilReadyIs(200);
    expectTurns({ cause: expect.stringContaining('ECONNREFUSED') as unknown });
  });
});
