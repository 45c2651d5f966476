import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT = 100_000;

/** Waits for a condition: false while it throws. @returns milliseconds @throws Error after 100 s */
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
