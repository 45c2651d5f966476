import { resolve } from 'node:path';
import { NotPublished } from './broker.js';
import { readDocument } from './contract.js';
import { type Surroundings, verifyFromBroker } from './from-broker.js';
import { optionsOf, USAGE, UsageError } from './options.js';

export { ServiceUnderContract } from './service-under-contract.js';

/**
 * `pnpm verify-contract [FILE | URL]`: verifies the service against one contract, or against all contracts in a Pact
 * Broker that matter to it.
 *
 * @returns the exit code: 0 if all are kept, 1 if one is broken, 2 if one was not verified or its result not published
 */
export async function verifyContracts(args: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    return await run(args, surroundings);
  } catch (error) {
    const usage = error instanceof UsageError ? `\n${USAGE}\n` : '';
    const end = error instanceof NotPublished ? 'Not every result was published.' : 'The contract was not verified.';
    surroundings.stderr.write(`${(error as Error).message}\n${usage}${end}\n`);
    return 2;
  }
}

async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { env, stdout, withService } = surroundings;
  const options = optionsOf(args);
  if (options.help) {
    stdout.write(USAGE);
    return 0;
  }
  const { pact } = options;
  if (pact === undefined || options.isUrl) return verifyFromBroker(options, surroundings);
  // pnpm runs this in the root of the repository; paths are relative to the folder in which pnpm was called.
  const document = readDocument(resolve(env['INIT_CWD'] ?? '.', pact));
  const isKept = await withService((service) => service.keeps(document));
  stdout.write(`The service ${isKept ? 'keeps' : 'breaks'} the contract.\n`);
  return isKept ? 0 : 1;
}
