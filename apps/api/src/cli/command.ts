import { parseArgs, type ParseArgsConfig } from 'node:util';
import { print, printError } from '../platform/print.js';

/** The arguments are not those of the command. */
export class Usage extends Error {}

/**
 * Runs a command: prints what it returns, and exits with 1 where it fails.
 *
 * @param usage lines that are printed in place of a {@link Usage}
 * @param failure begins the line of any other error
 */
export async function runCommand(
  work: () => Promise<string> | string,
  usage: string,
  failure = 'Failed',
): Promise<void> {
  try {
    print(await work());
  } catch (error) {
    printError(error instanceof Usage ? usage : `${failure}: ${(error as Error).message}\n`);
    process.exit(1);
  }
}

/** @throws Usage for an option that is not one of these */
export function readWords<Options extends NonNullable<ParseArgsConfig['options']>>(
  options: Options,
  args = process.argv.slice(2),
): ReturnType<typeof parseArgs<{ options: Options; allowPositionals: true }>> {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (cause) {
    throw new Usage(undefined, { cause });
  }
}
