import { createTestDatabase, sqlOf, TcpProxy, type TestDatabase, until } from 'testing';
import { alterDatabase } from '../support/alter-database.js';
import { api } from '../support/api.js';
import { aKey, aResource, aSlot } from '../support/bookings.js';
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

async function start(port = proxy.port, databaseUrl = database.url): Promise<void> {
  const url = new URL(databaseUrl);
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
  expectTurns({ reason: expect.stringContaining('read_only = on') as unknown });
});

describe('Rows that nobody would see', () => {
  const NOTHING = 'CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;';
  const EVERY_TABLE = ['schema_migrations', 'bookings', 'webhook_endpoints', 'webhook_deliveries'];
  let role: { name: string; url: string };

  beforeEach(async () => void (role = await createServingRole(database)));
  afterEach(() => dropRole(database, role.name));

  /** SQL with the names of this test's role and database. */
  const sql = (text: string): string =>
    text
      .replaceAll(/(?<=ROLE |OWNER TO )bookings/g, role.name)
      .replaceAll('DATABASE bookings', `DATABASE ${new URL(database.url).pathname.slice(1)}`);

  /** The runbook's SQL that contains a text. */
  const mending = (text: string): string =>
    sql(sqlOf('runbook.md', 'Rows go missing').find((statements) => statements.includes(text))!);

  it.each<[breaking: string, fault: string, mend: string | undefined]>([
    ...EVERY_TABLE.map((table): [string, string, string] => [
      `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`,
      `row level security hides rows of ${table} from the role`,
      'ROW LEVEL SECURITY',
    ]),
    [
      'ALTER TABLE bookings OWNER TO bookings; ALTER TABLE bookings ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY',
      'row level security hides rows of bookings from the role',
      'ROW LEVEL SECURITY',
    ],
    [
      'CREATE RULE audit AS ON INSERT TO bookings DO INSTEAD NOTHING',
      'the rule audit on bookings can swallow rows',
      'RULE',
    ],
    [
      `${NOTHING} CREATE TRIGGER audit BEFORE INSERT ON bookings FOR EACH ROW EXECUTE FUNCTION nothing()`,
      'the trigger audit on bookings can swallow rows',
      'TRIGGER',
    ],
    [
      `${NOTHING} CREATE TRIGGER own BEFORE UPDATE ON webhook_deliveries FOR EACH ROW EXECUTE FUNCTION nothing()`,
      'the trigger own on webhook_deliveries can swallow rows',
      undefined,
    ],
    [
      'ALTER DATABASE bookings SET session_replication_role = replica',
      'the database or the role has session_replication_role = replica',
      'session_replication_role',
    ],
    [
      'ALTER ROLE bookings SET session_replication_role = replica',
      'the database or the role has session_replication_role = replica',
      'session_replication_role',
    ],
  ])('stop a start and a service, which says why, after %s', async (breaking, fault, mend) => {
    await start(proxy.port, role.url);
    await untilReadyIs(200);
    await database.query(sql(breaking));
    await untilReadyIs(503);
    await expect(startApp({ DATABASE_URL: role.url })).rejects.toThrow(new RegExp(`^${fault}`));
    await database.query(mend === undefined ? 'DROP TRIGGER own ON webhook_deliveries' : mending(mend));
    await untilReadyIs(200);
    expectTurns({ reason: expect.stringContaining(fault) as unknown });
  });

  it('are not suspected because of what only adds, or is off', async () => {
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
    await start(proxy.port, role.url);
    await untilReadyIs(200);
    expect(await book()).toEqual([201]);
  });
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
