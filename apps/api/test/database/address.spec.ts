import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestDatabase, temporaryFolder, type TestDatabase, until } from 'testing';
import { databaseSettings } from '../../src/cli/with-database.js';
import { connectionStringFault } from '../../src/config/connection-string.js';
import { Database } from '../../src/platform/database/database.js';
import { DatabaseUnavailable } from '../../src/platform/database/postgres-errors.js';
import { withSessionSettings } from '../../src/platform/database/session.js';
import { openDatabase } from '../support/open-database.js';
import { type OptionsAre, startPooler } from '../support/pooler.js';

it.each([
  ['postgres://u:p@db:5433/bookings', 'PostgreSQL at db:5433/bookings'],
  ['postgres://u:p@localhost/bookings?host=/run/postgresql', 'PostgreSQL at /run/postgresql/bookings'],
])('The database is described without user and password: %s', (url, description) => {
  expect(new Database(databaseSettings({ DATABASE_URL: url })).description).toBe(description);
});

describe('A connection string', () => {
  it.each([
    'postgresql://user:p%40%2F%3F%23%25%20%C3%A4,a:b@host:5432/bookings',
    'postgres://user@[::1]:6432/bookings?target_session_attrs=primary&sslmode=verify-full&sslrootcert=/a',
    'postgres://localhost/bookings?host=/var/run/postgresql&user=me&password=p%40ss&port=5433',
    'postgres://host/bookings?sslmode=require&channel_binding=require&connect_timeout=10',
    'postgres://host/bookings?options=-c%20geqo%3Doff&application_name=a%20b&ssl=true',
  ])('is accepted: %s', (text) => {
    expect(connectionStringFault(text)).toBeUndefined();
  });

  it.each([
    ['mysql://user:secret@host/bookings', 'must be a URL such as postgres://'],
    ['postgres://user:secret@/bookings', 'must be a URL such as postgres://'],
    ['postgres://user:secret@host:0/bookings', 'must be a URL such as postgres://'],
    ['postgres://user:secret@host/book%00ings', 'must be a URL such as postgres://'],
    ['postgres://user:secret@a:5432,b/bookings', 'must name one host that leads to the primary: '],
    ['postgres://user:se@secret@host/bookings', 'percent-encoded (%40, '],
    ['postgres://user:1#secret@host/bookings', 'percent-encoded (%40, '],
    ['postgres://user:secret%ff@host/bookings', 'percent-encoded (%40, '],
    // The last parameter may be the rest of the password.
    [
      'postgres://host/bookings?user=me&password=a&secret=b',
      'has a parameter without effect here; those with one are ',
    ],
    ['postgres://host/bookings?gssencmode=disable', 'has the parameter `gssencmode` without effect here; '],
    ['postgres:///bookings?host=/run/postgresql', 'must be a URL such as postgres://'],
    ['postgres://host/bookings?sslmode=verify_full', 'no-verify as `sslmode`'],
    // The driver reads any text as true.
    ['postgres://host/bookings?ssl=false', 'must have one of true, 1, 0, no-verify as `ssl`'],
    ['postgres://host/bookings?port=abc', 'must have a whole number from 1 to 65535 as `port`'],
  ])('is rejected without quoting a password: %s', (text, fault) => {
    expect(connectionStringFault(text)).toContain(fault);
    expect(connectionStringFault(text)).not.toContain('secret');
  });
});

let testDatabase: TestDatabase;
beforeAll(async () => void (testDatabase = await createTestDatabase()));
afterAll(() => testDatabase.drop());

const connect = (url: string): Database => new Database(databaseSettings({ DATABASE_URL: url }));

it('A missing file of a connection string fails requests, never the process', async () => {
  const file = join(temporaryFolder(), 'ca.pem');
  const url = `${testDatabase.url}?sslmode=disable&sslrootcert=${file}`;
  await expect(connect(url).prepare()).rejects.toThrow(/^The connection string cannot be used: ENOENT/);
  writeFileSync(file, 'read, and not used without TLS');
  const database = await openDatabase(url, { DATABASE_POOL_SIZE: '2' });
  // Opens the only connection for reads.
  await database.read({ text: 'SELECT 1' });
  rmSync(file);
  const cut = Array.from({ length: 5 }, () => database.read({ text: 'SELECT pg_terminate_backend(pg_backend_pid())' }));
  for (const outcome of await Promise.allSettled(cut)) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(DatabaseUnavailable) });
  }
  writeFileSync(file, 'as before');
  await until(async () => (await database.write({ text: 'SELECT 1' })).rowCount === 1);
  database.close();
});

const withOptions = (url: string): string => {
  const changed = new URL(url);
  changed.searchParams.set('options', '-c work_mem=7MB --plan_cache_mode=auto -c statement_timeout=900');
  return changed.href;
};

it('What follows a second `?` of a connection string applies', () => {
  const url = 'postgres://host/bookings?application_name=a?b&sslmode=verify-full';
  const { searchParams } = new URL(withSessionSettings({ url, connectTimeout: 1, statementTimeout: 1 }));
  expect(connectionStringFault(url)).toBeUndefined();
  expect([searchParams.get('application_name'), searchParams.get('sslmode')]).toEqual(['a?b', 'verify-full']);
});

it('Settings in `options` apply unless the service sets the same', async () => {
  const database = await openDatabase(withOptions(testDatabase.url));
  const names = ['jit', 'lock_timeout', 'plan_cache_mode', 'statement_timeout', 'work_mem'];
  const statement = { text: 'SELECT setting FROM pg_settings WHERE name = ANY ($1) ORDER BY name' };
  const { rows } = await database.read<{ setting: string }>(statement, [names]);
  database.close();
  expect(rows.map(({ setting }) => setting)).toEqual(['off', '0', 'force_generic_plan', '2500', '7168']);
});

it.each<OptionsAre>(['08P01', '0A000', 'dropped'])(
  'Behind a transaction pooler (`options`: %s), nothing stays in a session, and `options` in the URL are rejected',
  async (optionsAre) => {
    const pooler = await startPooler(testDatabase.url, optionsAre);
    const database = await openDatabase(pooler.url);
    const text = `SELECT count(*)::int AS kept, current_setting('plan_cache_mode') AS mode FROM pg_prepared_statements`;
    for (const send of ['read', 'write'] as const) {
      expect((await database[send]({ name: 'named', text })).rows).toEqual([{ kept: 0, mode: 'auto' }]);
    }
    database.close();
    await expect(connect(withOptions(pooler.url)).prepare()).rejects.toThrow(
      'a transaction pooler does not keep the settings in `options` of DATABASE_URL',
    );
    pooler.close();
  },
);
