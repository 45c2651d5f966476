import { writeFileSync, writeSync } from 'node:fs';

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;

/**
 * Prints to standard output. Not by `process.stdout`, of which a closed pipe ends the process later with a stack.
 *
 * @throws Error if it cannot be written
 */
export function print(text: string): void {
  writeFileSync(STANDARD_OUTPUT, text);
}

/** Prints to standard error, if it can be written. */
export function printError(text: string): void {
  try {
    writeSync(STANDARD_ERROR, text);
  } catch {
    // There is no other place to say so.
  }
}
