import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT = 100_000;

/**
 * Waits until a condition is true; one that throws counts as false. Checks are 20 ms apart at first and 100 ms in the
 * end, since a check can be a request.
 *
 * @returns the milliseconds that it took
 * @throws Error after 100 s
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<number> {
  const begun = performance.now();
  let cause: unknown;
  let elapsed = 0;
  while (elapsed < TIMEOUT) {
    try {
      if (await condition()) return performance.now() - begun;
    } catch (error) {
      cause = error;
    }
    await sleep(Math.min(20 + elapsed / 20, 100));
    elapsed = performance.now() - begun;
  }
  throw new Error(`still false after ${TIMEOUT} ms: ${condition.toString()}`, { cause });
}
