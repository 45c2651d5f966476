/** Whether this is `pnpm test:torture`, which has the machine to itself. No other run judges durations. */
export const isLong = process.env['npm_lifecycle_event'] === 'test:torture';

/** Maximum milliseconds to recover from an outage, and to respond during an outage. Only a hang takes a minute. */
export const RECOVERY = isLong ? 5_000 : 60_000;
