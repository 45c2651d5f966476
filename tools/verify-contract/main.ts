/**
 * `pnpm verify-contract FILE`: verifies the built service, on an embedded PostgreSQL, against one contract. Exit codes:
 * 0 it is kept, 1 it is broken, 2 it was not verified.
 */
import { resolve } from 'node:path';
import startPostgres, { stopPostgres } from 'testing/global-setup';
import { verify } from './verify.js';

const [file, ...more] = process.argv.slice(2);
try {
  if (!file || more.length > 0) throw new TypeError('Give one pact file: pnpm verify-contract FILE');
  await startPostgres();
  // pnpm runs this from the root of the repository, whatever the folder that it was called in.
  const isKept = await verify(resolve(process.env['INIT_CWD'] ?? '.', file));
  process.stdout.write(`The service ${isKept ? 'keeps' : 'breaks'} the contract.\n`);
  process.exitCode = isKept ? 0 : 1;
} catch (error) {
  process.stderr.write(`${(error as Error).message}\nThe contract was not verified.\n`);
  process.exitCode = 2;
} finally {
  await stopPostgres();
}
