import { resolve } from 'node:path';
import { NotPublished } from './broker.js';
import { readDocument } from './contract.js';
import { type Surroundings, verifyFromBroker } from './from-broker.js';
import { optionsOf, USAGE, UsageError } from './options.js';

export { ServiceUnderContract } from './service-under-contract.js';

/**
 * `pnpm verify-contract [FILE | URL]`: verifies the service against one contract, or against those of a Pact Broker that
 * matter.
 *
 * @returns the exit code: 0 all are kept, 1 one is broken, 2 not all were verified, or a result was not published
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
  // pnpm runs this from the root of the repository, whatever the folder that it was called in.
  const document = readDocument(resolve(env['INIT_CWD'] ?? '.', pact));
  const isKept = await withService((service) => service.keeps(document));
  stdout.write(`The service ${isKept ? 'keeps' : 'breaks'} the contract.\n`);
  return isKept ? 0 : 1;
}
