import { parseArgs, type ParseArgsConfig } from 'node:util';
import { print, printError } from '../platform/print.js';

/** Thrown for wrong arguments. */
export class UsageError extends Error {}

/**
 * Prints what a command returns, or its usage for `--help`. Exits with 1 after an error.
 *
 * @param usage also printed, on standard error, for a {@link UsageError}
 * @param failure the beginning of the line that is printed for any other error
 */
export async function runCommand(
  work: () => Promise<string> | string,
  usage: string,
  failure = 'Failed',
): Promise<void> {
  try {
    const isHelp = process.argv.slice(2).includes('--help');
    await print(isHelp ? usage : await work());
  } catch (error) {
    printError(error instanceof UsageError ? usage : `${failure}: ${(error as Error).message}\n`);
    process.exit(1);
  }
}

/** @throws UsageError for an option that is unknown or malformed */
export function parseWords<Options extends NonNullable<ParseArgsConfig['options']>>(
  options: Options,
  args = process.argv.slice(2),
): ReturnType<typeof parseArgs<{ options: Options; allowPositionals: true }>> {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (cause) {
    throw new UsageError(undefined, { cause });
  }
}
