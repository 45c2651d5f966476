import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from 'testing';
import { databaseSettings } from '../../src/cli/with-database.js';
import { migrate, prepareSchema } from '../../src/platform/database/migrations.js';
import { laterVersion } from '../support/later-migrations.js';
import { createRole, createServingRole, dropRole } from '../support/roles.js';
import { runCommand } from '../support/run-command.js';

let database: TestDatabase;
let role: { name: string; url: string };

beforeAll(async () => {
  database = await createTestDatabase();
  role = await createServingRole(database);
});
afterAll(async () => {
  await dropRole(database, role.name);
  await database.drop();
});

const settings = (url: string) => databaseSettings({ DATABASE_URL: url });

async function grantTo(name: string, url: string): Promise<string> {
  const { stdout, stderr } = await runCommand('migrate', ['--grant-to', name], { DATABASE_URL: url });
  return stdout + stderr;
}

describe('The role of a service that does not own its tables', () => {
  it('has rights on every table, granted once', async () => {
    const state = () =>
      database.query<{ relname: string; xmin: string }>(
        `SELECT relname, xmin FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
          AND has_table_privilege('${role.name}', oid, 'SELECT')`,
      );
    const before = await state();
    expect(before).toHaveLength((await database.query(`SELECT FROM pg_tables WHERE schemaname = 'public'`)).length);
    expect(await grantTo(role.name, database.url)).toBe('The schema is up to date.\n');
    expect(await state()).toEqual(before);
    await expect(prepareSchema(settings(role.url), false)).resolves.toEqual([]);
  });

  it('cannot change or delete a booking, or create a table', async () => {
    const client = new Client({ connectionString: role.url });
    await client.connect();
    for (const sql of [
      'UPDATE bookings SET json = json',
      'DELETE FROM bookings',
      'TRUNCATE bookings',
      'DELETE FROM schema_migrations',
      'CREATE TABLE other ()',
    ]) {
      await expect(client.query(sql)).rejects.toThrow('permission denied');
    }
    await client.end();
  });

  it('starts without a right that creates do not need, with a warning', async () => {
    await database.query(`REVOKE DELETE ON webhook_endpoints FROM ${role.name}`);
    await expect(prepareSchema(settings(role.url), false)).resolves.toEqual([
      expect.stringMatching(/^the role lacks DELETE on webhook_endpoints\. .*--grant-to/),
    ]);
    await database.query(`GRANT DELETE ON webhook_endpoints TO ${role.name}`);
  });

  it('does not start without the other rights, and names them', async () => {
    const without = await createRole(database);
    await expect(prepareSchema(settings(without.url), true)).rejects.toThrow(
      new RegExp(
        '^the role lacks SELECT on schema_migrations and SELECT on bookings and INSERT on bookings and .*' +
          'run `node dist/cli/migrate.js --grant-to ROLE`.$',
      ),
    );
    await dropRole(database, without.name);
  });

  it('is told to migrate and grant as the owner', async () => {
    const owner = 'As the owner of the tables, run `node dist/cli/migrate.js`.';
    const later = laterVersion(role.url, { '9999_later.sql': 'ALTER TABLE bookings ADD COLUMN later text' });
    const fault = `permission denied for schema public. ${owner}`;
    await expect(prepareSchema(later, true)).rejects.toThrow(fault);
    await expect(migrate(later)).rejects.toThrow(fault);
    const without = await createRole(database);
    expect(await grantTo(without.name, role.url)).toMatch(
      /^The schema cannot be migrated: the role of DATABASE_URL may not grant SELECT on schema_migrations, SELECT on bookings, .+: the owner of the tables may\.\n$/,
    );
    await dropRole(database, without.name);
  });
});
