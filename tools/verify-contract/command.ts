import { resolve } from 'node:path';
import { readContract } from './contract.js';
import { verifyFromBroker } from './from-broker.js';
import { optionsOf, type Surroundings, USAGE } from './options.js';

/**
 * `pnpm verify-contract [FILE | URL]`: verifies the service against one contract, or against all contracts in a Pact
 * Broker that matter to it.
 *
 * @returns the exit code: 0 if all are kept, 1 if one is broken, 2 if one was not verified or its result not published
 */
export async function verifyContracts(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { stdout, stderr } = surroundings;
  try {
    const options = optionsOf(args);
    if (options.help) {
      stdout.write(USAGE);
      return 0;
    }
    const { file } = options;
    const isKept =
      file === undefined ? await verifyFromBroker(options, surroundings) : await verifyFile(file, surroundings);
    stdout.write(`The service ${isKept ? 'keeps' : 'breaks'} the contract.\n`);
    return isKept ? 0 : 1;
  } catch (error) {
    stderr.write(`${(error as Error).message}\nNot verified, or not published. --help says what to give.\n`);
    return 2;
  }
}

function verifyFile(file: string, { env, withService }: Surroundings): Promise<boolean> {
  // pnpm runs this in the root of the repository; paths are relative to the folder in which pnpm was called.
  const path = resolve(env['INIT_CWD'] ?? '.', file);
  const contract = readContract(path);
  return withService((service) => service.keeps({ contract }, { pactUrls: [path] }));
}
