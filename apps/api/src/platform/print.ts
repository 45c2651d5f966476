import { writeFileSync, writeSync } from 'node:fs';

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;

/** @throws Error for a closed pipe, where `process.stdout` would end the process */
export function print(text: string): void {
  writeFileSync(STANDARD_OUTPUT, text);
}

export function printError(text: string): void {
  try {
    writeSync(STANDARD_ERROR, text);
  } catch {
    // No other place is left to say so.
  }
}
