/**
 * `pnpm verify-contract [FILE | URL]`: verifies the built service, on an embedded PostgreSQL, against one contract, or
 * against those of a Pact Broker that matter. Exit codes: 0 all are kept, 1 one is broken, 2 not all were verified, or
 * a result was not published.
 */
import { resolve } from 'node:path';
import startPostgres, { stopPostgres } from 'testing/global-setup';
import { NotPublished } from './broker.js';
import { readDocument } from './contract.js';
import { verifyFromBroker } from './from-broker.js';
import { optionsOf, USAGE, UsageError } from './options.js';
import { verify } from './verify.js';

try {
  process.exitCode = await run();
} catch (error) {
  const usage = error instanceof UsageError ? `\n${USAGE}\n` : '';
  const end = error instanceof NotPublished ? 'Not every result was published.' : 'The contract was not verified.';
  process.stderr.write(`${(error as Error).message}\n${usage}${end}\n`);
  process.exitCode = 2;
}

async function run(): Promise<number> {
  const options = optionsOf(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const { pact } = options;
  if (pact === undefined || options.isUrl) return verifyFromBroker(options, process.env);
  // pnpm runs this from the root of the repository, whatever the folder that it was called in.
  const isKept = await verifyFile(resolve(process.env['INIT_CWD'] ?? '.', pact));
  process.stdout.write(`The service ${isKept ? 'keeps' : 'breaks'} the contract.\n`);
  return isKept ? 0 : 1;
}

async function verifyFile(path: string): Promise<boolean> {
  const document = readDocument(path);
  await startPostgres();
  try {
    return await verify(document);
  } finally {
    await stopPostgres();
  }
}
