import { migrate } from '../platform/database/migrations.js';
import { parseWords, runCommand } from './command.js';
import { databaseSettings } from './with-database.js';

const USAGE = 'Usage: migrate [--grant-to ROLE]\n';

const work = async (): Promise<string> => {
  const { values } = parseWords({ 'grant-to': { type: 'string' } });
  const { applied, warnings } = await migrate(databaseSettings(process.env), values['grant-to']);
  const done = applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`;
  return `${[done, ...warnings.map((warning) => `Note that ${warning}`)].join(' ')}\n`;
};

await runCommand(work, USAGE, 'The schema cannot be migrated');
