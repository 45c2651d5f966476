import { z } from 'zod';
import type { DatabaseSettings } from './postgres/database.js';

function wholeNumber(least: number, most: number) {
  const error = `must be a whole number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d+$/, { error })
    .transform(Number)
    .pipe(z.int({ error }).min(least, { error }).max(most, { error }));
}

const environment = z.object({
  PORT: wholeNumber(0, 65_535).default(3000),
  HOST: z.string().default('127.0.0.1'),
  MEMORY_MAX_BOOKINGS: wholeNumber(1, 16_000_000).default(1_000_000),
  BOOKING_SCHEMA_FILE: z.string().optional(),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be a URL as in postgres://user:password@host:5432/database' })
    .optional(),
  DATABASE_POOL_SIZE: wholeNumber(1, 1_000).default(10),
  DATABASE_CONNECT_TIMEOUT_MS: wholeNumber(1, 60_000).default(2_000),
  DATABASE_STATEMENT_TIMEOUT_MS: wholeNumber(1, 60_000).default(2_500),
  DATABASE_MIGRATE_AT_START: z.stringbool({ error: 'must be true or false' }).default(true),
});

/** The settings of the service; see the table in `docs/operations.md`. */
export interface Config {
  /** 0 takes any free port. */
  readonly port: number;
  readonly host: string;
  /** Bookings beyond which the in-memory store refuses a create. */
  readonly memoryMaxBookings: number;
  /** A JSON Schema that create payloads have to keep to as well; every member is free where it is not set. */
  readonly bookingSchemaFile: string | undefined;
  /** Where bookings are kept; in memory where it is not set. */
  readonly database: DatabaseSettings | undefined;
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
  const settings = result.data;
  return {
    port: settings.PORT,
    host: settings.HOST,
    memoryMaxBookings: settings.MEMORY_MAX_BOOKINGS,
    bookingSchemaFile: settings.BOOKING_SCHEMA_FILE,
    database:
      settings.DATABASE_URL === undefined ? undefined : { ...databaseSettings(settings), url: settings.DATABASE_URL },
  };
}

function databaseSettings(settings: z.output<typeof environment>): Omit<DatabaseSettings, 'url'> {
  return {
    poolSize: settings.DATABASE_POOL_SIZE,
    connectTimeout: settings.DATABASE_CONNECT_TIMEOUT_MS,
    statementTimeout: settings.DATABASE_STATEMENT_TIMEOUT_MS,
    migrateAtStart: settings.DATABASE_MIGRATE_AT_START,
  };
}
