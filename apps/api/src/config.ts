import { z } from 'zod';

const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d+$/, { error: `must be a whole number from ${least} to ${most}` })
    .transform(Number)
    .pipe(
      z
        .int()
        .min(least)
        .max(most, { error: `must be a whole number from ${least} to ${most}` }),
    );

const environment = z.object({
  PORT: wholeNumber(0, 65_535).default(3000),
  HOST: z.string().default('127.0.0.1'),
  MEMORY_MAX_BOOKINGS: wholeNumber(1, 16_000_000).default(1_000_000),
});

/** The settings of the service; see the table in `docs/operations.md`. */
export interface Config {
  /** 0 takes any free port. */
  readonly port: number;
  readonly host: string;
  /** Bookings beyond which the in-memory store refuses a create. */
  readonly memoryMaxBookings: number;
}

export class InvalidConfig extends Error {
  override readonly name = 'InvalidConfig';
}

/**
 * Reads the settings from the environment; an empty variable counts as not set.
 *
 * @throws InvalidConfig with every fault in one line
 */
export function readConfig(env: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const result = environment.safeParse(given);
  if (!result.success) {
    const faults = result.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    throw new InvalidConfig(`Bad settings: ${faults.join('; ')}.`);
  }
  const { PORT, HOST, MEMORY_MAX_BOOKINGS } = result.data;
  return { port: PORT, host: HOST, memoryMaxBookings: MEMORY_MAX_BOOKINGS };
}
