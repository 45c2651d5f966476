import { writeSync } from 'node:fs';

const STANDARD_ERROR = 2;

/** @throws Error for a closed pipe or a full disk */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.once('error', reject).write(text, (error) => {
      if (!error) resolve();
    });
  });
}

export function printError(text: string): void {
  try {
    writeSync(STANDARD_ERROR, text);
  } catch {
    // No other place is left to report the error.
  }
}
