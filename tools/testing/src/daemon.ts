import type { ChildProcess } from 'node:child_process';

/** The id of the user `nobody` on Linux. PostgreSQL and PgBouncer refuse to run as root. */
export const NOBODY = 65_534;

export const isRoot = process.getuid?.() === 0;

export const asNobody = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** Waits for a text on a program's standard error. @throws Error with the last output if the program ends first */
export function untilPrinted(child: ChildProcess, expected: RegExp, name: string): Promise<void> {
  let log = '';
  return new Promise((resolve, reject) => {
    child.stderr!.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-2_000);
      if (expected.test(log)) resolve();
    });
    child.once('error', (error) => reject(new Error(`${name} is not installed: ${error.message}`)));
    child.once('exit', () => reject(new Error(`${name} does not start: ${log.trim()}`)));
  });
}
