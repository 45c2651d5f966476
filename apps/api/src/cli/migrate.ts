import { parseArgs } from 'node:util';
import { type Migrated, migrate } from '../database/migrations.js';
import { readConfig } from '../config/config.js';
import { print, printError } from '../observability/print.js';

try {
  const { values } = parseArgs({ options: { 'grant-to': { type: 'string' } } });
  const { database } = readConfig(process.env);
  if (database === undefined) throw new Error('DATABASE_URL is not set.');
  print(`${describe(await migrate(database, values['grant-to']))}\n`);
} catch (error) {
  printError(`The schema cannot be migrated: ${(error as Error).message}\n`);
  process.exit(1);
}

function describe({ applied, newer }: Migrated): string {
  const done = applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`;
  return newer.length === 0 ? done : `${done} It also has ${newer.join(', ')} of a newer version.`;
}
