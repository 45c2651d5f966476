import { randomBytes } from 'node:crypto';
import type { TestDatabase } from 'testing';
import { databaseSettings } from '../../src/cli/with-database.js';
import { migrate } from '../../src/platform/database/migrations.js';

/** Creates a role that owns nothing. @returns the URL of the database for this role */
export async function createRole(database: TestDatabase): Promise<{ name: string; url: string }> {
  const name = `role_${randomBytes(6).toString('hex')}`;
  await database.query(`CREATE ROLE ${name} LOGIN PASSWORD '${name}'`);
  const url = new URL(database.url);
  url.username = url.password = name;
  return { name, url: url.href };
}

/** Creates a role with only the rights that the service needs. */
export async function createServingRole(database: TestDatabase): Promise<{ name: string; url: string }> {
  const role = await createRole(database);
  await migrate(databaseSettings({ DATABASE_URL: database.url }), role.name);
  return role;
}

export async function dropRole(database: TestDatabase, name: string): Promise<void> {
  await database.query(`DROP OWNED BY ${name} CASCADE`);
  await database.query(`DROP ROLE ${name}`);
}
