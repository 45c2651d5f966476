import type { ChildProcess } from 'node:child_process';

/** PostgreSQL and PgBouncer refuse to run as root. For root, they run as `nobody`, which every Linux has. */
export const NOBODY = 65_534;

export const isRoot = process.getuid?.() === 0;

/** Options of `spawn`. */
export const asNobody = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/**
 * Resolves once a program has printed this to standard error, which is read to the end: it would wait for that.
 *
 * @throws Error with the end of what it printed, when it ends before or is not installed
 */
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
