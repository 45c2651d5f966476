import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds that only a hang takes, on a machine that others use too. */
const TIMEOUT = 100_000;

/**
 * Looks again and again until the condition holds; one that throws does not.
 *
 * @returns milliseconds that it took
 * @throws Error when it does not hold by then, with what the condition threw
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<number> {
  const begun = performance.now();
  let cause: unknown;
  for (; performance.now() - begun < TIMEOUT; await sleep(20)) {
    try {
      if (await condition()) return performance.now() - begun;
    } catch (error) {
      cause = error;
    }
  }
  throw new Error(`still not so after ${TIMEOUT} ms: ${condition.toString()}`, { cause });
}
