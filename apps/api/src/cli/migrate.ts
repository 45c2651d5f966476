import { migrate } from '../database/schema.js';
import { readConfig } from '../config/config.js';

try {
  const { database } = readConfig(process.env);
  if (database === undefined) throw new Error('DATABASE_URL is not set.');
  const applied = await migrate(database);
  process.stdout.write(applied.length === 0 ? 'The schema is up to date.\n' : `Applied ${applied.join(', ')}.\n`);
} catch (error) {
  process.stderr.write(`The schema cannot be migrated: ${(error as Error).message}\n`);
  process.exit(1);
}
