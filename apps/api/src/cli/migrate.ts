import { migrate } from '../platform/database/migrations.js';
import { readWords, runCommand } from './command.js';
import { databaseSettings } from './with-database.js';

const USAGE = 'Usage: migrate [--grant-to ROLE]\n';

const work = async (): Promise<string> => {
  const { values } = readWords({ 'grant-to': { type: 'string' } });
  const { applied, newer } = await migrate(databaseSettings(), values['grant-to']);
  const done = applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`;
  return newer.length === 0 ? `${done}\n` : `${done} It also has ${newer.join(', ')} of a newer version.\n`;
};

await runCommand(work, USAGE, 'The schema cannot be migrated');
