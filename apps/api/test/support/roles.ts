import { randomBytes } from 'node:crypto';
import type { TestDatabase } from 'testing';
import { readConfig } from '../../src/config/config.js';
import { migrate } from '../../src/platform/database/migrations.js';

/** Makes a role of the test server that owns nothing. @returns the database's URL for it */
export async function createRole(database: TestDatabase): Promise<{ name: string; url: string }> {
  const name = `role_${randomBytes(6).toString('hex')}`;
  await database.query(`CREATE ROLE ${name} LOGIN PASSWORD '${name}'`);
  const url = new URL(database.url);
  url.username = url.password = name;
  return { name, url: url.href };
}

/** Makes a role with no more rights than the service needs, which the owner of the database grants it. */
export async function createServingRole(database: TestDatabase): Promise<{ name: string; url: string }> {
  const role = await createRole(database);
  await migrate(readConfig({ DATABASE_URL: database.url }).database!, role.name);
  return role;
}

export async function dropRole(database: TestDatabase, name: string): Promise<void> {
  await database.query(`DROP OWNED BY ${name} CASCADE`);
  await database.query(`DROP ROLE ${name}`);
}
