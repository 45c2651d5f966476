import { setTimeout as sleep } from 'node:timers/promises';

/** What only a hang takes, on a machine that others use too. */
const SECONDS = 100;

/**
 * Looks again and again until the condition holds.
 *
 * @returns milliseconds that it took
 * @throws Error when it does not hold by then
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<number> {
  const begun = performance.now();
  while (!(await condition())) {
    if (performance.now() - begun > SECONDS * 1_000) {
      throw new Error(`still not so after ${SECONDS} s: ${condition.toString()}`);
    }
    await sleep(20);
  }
  return performance.now() - begun;
}
