import { z } from 'zod';
import { type ServerSettings, serverSettings, serverVariables } from './http/server-settings.js';
import type { DatabaseSettings } from './postgres/database.js';
import { type RateLimitSettings, rateLimitSettings, rateLimitVariables } from './rate-limit/rate-limit-settings.js';
import { wholeNumber } from './whole-number.js';

const variables = z.object({
  PORT: wholeNumber(0, 65_535).default(3000),
  HOST: z.string().default('127.0.0.1'),
  MEMORY_MAX_BOOKINGS: wholeNumber(1, 16_000_000).default(1_000_000),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be a URL as in postgres://user:password@host:5432/database' })
    .optional(),
  DATABASE_POOL_SIZE: wholeNumber(1, 1_000).default(10),
  DATABASE_CONNECT_TIMEOUT_MS: wholeNumber(1, 60_000).default(2_000),
  DATABASE_STATEMENT_TIMEOUT_MS: wholeNumber(1, 60_000).default(2_500),
  DATABASE_MIGRATE_AT_START: z.stringbool({ error: 'must be true or false' }).default(true),
  ...serverVariables,
  ...rateLimitVariables,
});

const environment = variables.refine(
  // Looked at beside the faults of other variables too, where one of these two may have no value.
  ({ HEADERS_TIMEOUT_MS: headers, REQUEST_TIMEOUT_MS: request }) => !(headers > request),
  { path: ['HEADERS_TIMEOUT_MS'], error: 'must not be above REQUEST_TIMEOUT_MS', when: () => true },
);

/** The settings of the service; see the table in `docs/operations.md`. */
export interface Config {
  /** 0 takes any free port. */
  readonly port: number;
  readonly host: string;
  /** Bookings beyond which the in-memory store refuses a create. */
  readonly memoryMaxBookings: number;
  /** Where bookings are kept; in memory where it is not set. */
  readonly database: DatabaseSettings | undefined;
  /** What the server waits for. */
  readonly server: ServerSettings;
  /** How often a caller may ask; as often as it likes where it is not set. */
  readonly rateLimit: RateLimitSettings | undefined;
  /** Proxies before the service, each of which adds the address that it saw to `X-Forwarded-For`. */
  readonly trustProxy: number;
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
    database:
      settings.DATABASE_URL === undefined ? undefined : { ...databaseSettings(settings), url: settings.DATABASE_URL },
    server: serverSettings(settings),
    rateLimit: rateLimitSettings(settings),
    trustProxy: settings.TRUST_PROXY,
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
