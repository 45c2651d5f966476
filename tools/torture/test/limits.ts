/** Whether this is `pnpm test:torture`, which has the machine to itself and alone judges by a clock. */
export const isLong = process.env['npm_lifecycle_event'] === 'test:torture';

/** The milliseconds in the long form; a minute in `pnpm test`, reached only by a hang. */
export function limitOf(milliseconds: number): number {
  return isLong ? milliseconds : 60_000;
}

/** A count in `pnpm test`, and in the long form. */
export function times(quick: number, long: number): number {
  return isLong ? long : quick;
}

/** Milliseconds to recover from an outage, and to respond during one. */
export const RECOVERY = limitOf(5_000);
