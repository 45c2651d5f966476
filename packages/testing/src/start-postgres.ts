import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { LocalPostgres } from './local-postgres.js';
import { programOf } from './service-process.js';

/** Where the data stays between starts. */
const folder = process.env['POSTGRES_FOLDER'] || fileURLToPath(new URL('../../../.postgres', import.meta.url));

try {
  const postgres = await LocalPostgres.start(folder);
  await postgres.createDatabase('bookings');
  process.stdout.write(`Embedded PostgreSQL with its data in ${folder}\n`);
  const service = spawn(process.execPath, [programOf('main.js')], {
    stdio: 'inherit',
    env: { ...process.env, DATABASE_URL: postgres.url('bookings') },
  });
  // The service ends first, and the database under it only then.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void service.kill(signal));
  const [code] = (await once(service, 'exit')) as [number | null];
  await postgres.stop();
  process.exit(code ?? 1);
} catch (error) {
  process.stderr.write(`The booking service cannot start: ${(error as Error).message}\n`);
  process.exit(1);
}
