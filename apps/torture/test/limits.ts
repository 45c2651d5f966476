/** Whether this is `pnpm test:torture`, which has the machine to itself: it alone judges by a clock. */
export const isLong = process.env['TORTURE_LONG'] !== undefined;

/** @returns the milliseconds in the long form; in `pnpm test` a time that only a hang meets */
export function limitOf(milliseconds: number): number {
  return isLong ? milliseconds : 60_000;
}

/** @returns how often something is done in `pnpm test`, and in the long form */
export function times(quick: number, long: number): number {
  return isLong ? long : quick;
}

/** Milliseconds in which the service has to recover from an outage, and to respond during one. */
export const RECOVERY = limitOf(5_000);
