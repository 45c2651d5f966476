/** Whether this is `pnpm test:torture`, which has the machine to itself. No other run judges durations. */
export const isLong = process.env['npm_lifecycle_event'] === 'test:torture';

/** The milliseconds in the long form; a minute in `pnpm test`, reached only by a hang. */
export function limitOf(milliseconds: number): number {
  return isLong ? milliseconds : 60_000;
}

/** A count: `quick` in `pnpm test`, `long` in the long form. */
export function times(quick: number, long: number): number {
  return isLong ? long : quick;
}

/** Maximum milliseconds to recover from an outage, and to respond during an outage. */
export const RECOVERY = limitOf(5_000);
