import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Looks again and again until the condition holds.
 *
 * @returns milliseconds that it took
 * @param seconds that it has
 * @throws Error when it does not hold by then
 */
export async function until(condition: () => boolean | Promise<boolean>, seconds = 10): Promise<number> {
  const begun = performance.now();
  while (!(await condition())) {
    if (performance.now() - begun > seconds * 1_000) {
      throw new Error(`still not so after ${seconds} s: ${condition.toString()}`);
    }
    await sleep(20);
  }
  return performance.now() - begun;
}
