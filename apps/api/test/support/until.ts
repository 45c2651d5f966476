import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Looks again and again until the condition holds.
 *
 * @returns milliseconds that it took
 * @throws Error when it does not hold within ten seconds
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<number> {
  const begun = performance.now();
  while (!(await condition())) {
    if (performance.now() - begun > 10_000) throw new Error(`still not so after 10 s: ${condition.toString()}`);
    await sleep(20);
  }
  return performance.now() - begun;
}
