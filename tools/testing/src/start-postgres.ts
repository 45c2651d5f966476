import { fileURLToPath, pathToFileURL } from 'node:url';
import { LocalPostgres } from './local-postgres.js';
import { programOf } from './service-process.js';

/** The data folder, which is kept between starts. */
const folder = process.env['POSTGRES_FOLDER'] || fileURLToPath(new URL('../../../.postgres', import.meta.url));

try {
  const postgres = await LocalPostgres.start(folder, [], { isGuarded: true });
  await postgres.createDatabase('bookings');
  const url = postgres.url('bookings');
  process.env['DATABASE_URL'] = url;
  process.stdout.write(
    `Embedded PostgreSQL with its data in ${folder}. For commands alongside it: DATABASE_URL=${url}\n`,
  );
  // The service runs in this process, so that each signal arrives once, and the database stops last.
  await import(pathToFileURL(programOf('main.js')).href);
} catch (error) {
  process.stderr.write(`The booking service cannot start: ${(error as Error).message}\n`);
  process.exit(1);
}
