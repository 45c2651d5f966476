import { z } from 'zod';
import { authFaults, type AuthSettings, authSettings, authVariables } from './auth/auth-settings.js';
import { commaList } from './comma-list.js';
import { type LogSettings, logFormats, logLevels } from './observability/logger.js';
import type { RequestLogSettings } from './observability/request-log.js';
import type { ShutdownSettings } from './observability/shutdown.js';
import { type ServerSettings, serverSettings, serverVariables } from './http/server-settings.js';
import type { DatabaseSettings } from './postgres/database.js';
import { type RateLimitSettings, rateLimitSettings, rateLimitVariables } from './rate-limit/rate-limit-settings.js';
import { wholeNumber } from './whole-number.js';

/** Whether a text is one origin as browsers write it (RFC 6454 §6.2). A `*` could be the name of a host. */
function isOrigin(text: string): text is string {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

function flag() {
  return z.stringbool({ error: 'must be true or false' });
}

function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, { error: `must be one of ${values.join(', ')}` });
}

const variables = z.object({
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
  DATABASE_MIGRATE_AT_START: flag().default(true),
  SWAGGER_UI: flag().default(true),
  LOG_LEVEL: oneOf(logLevels).default('info'),
  LOG_FORMAT: oneOf(logFormats).optional(),
  ACCESS_LOG: flag().default(false),
  SLOW_REQUEST_MS: wholeNumber(1, 600_000).default(1_000),
  SHUTDOWN_DELAY_MS: wholeNumber(0, 600_000).default(0),
  SHUTDOWN_TIMEOUT_MS: wholeNumber(1, 600_000).default(10_000),
  ...authVariables,
  CORS_ORIGINS: commaList(isOrigin, 'must list origins as in https://app.example, without a path').default([]),
  ...serverVariables,
  ...rateLimitVariables,
});

const environment = variables.refine(
  // Looked at beside the faults of other variables too, where one of these two may have no value.
  ({ HEADERS_TIMEOUT_MS: headers, REQUEST_TIMEOUT_MS: request }) => !(headers > request),
  { path: ['HEADERS_TIMEOUT_MS'], error: 'must not be above REQUEST_TIMEOUT_MS', when: () => true },
);

/** The settings of the service; see the table in `docs/configuration.md`. */
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
  /** Which tokens the service asks for; none where it is not set. */
  readonly auth: AuthSettings | undefined;
  /** Origins whose pages may use the service in a browser. */
  readonly corsOrigins: readonly string[];
  /** Whether Swagger UI is at `/docs`. */
  readonly swaggerUi: boolean;
  readonly log: LogSettings & RequestLogSettings;
  readonly shutdown: ShutdownSettings;
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
  const faults = (result.error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`);
  faults.push(...authFaults(given));
  if (!result.success || faults.length > 0) throw new InvalidConfig(`Bad settings: ${faults.join('; ')}.`);
  const settings = result.data;
  return {
    port: settings.PORT,
    host: settings.HOST,
    memoryMaxBookings: settings.MEMORY_MAX_BOOKINGS,
    bookingSchemaFile: settings.BOOKING_SCHEMA_FILE,
    database:
      settings.DATABASE_URL === undefined ? undefined : { ...databaseSettings(settings), url: settings.DATABASE_URL },
    auth: authSettings(settings),
    corsOrigins: settings.CORS_ORIGINS,
    swaggerUi: settings.SWAGGER_UI,
    log: {
      level: settings.LOG_LEVEL,
      format: settings.LOG_FORMAT,
      accessLog: settings.ACCESS_LOG,
      slowRequest: settings.SLOW_REQUEST_MS,
    },
    shutdown: { delay: settings.SHUTDOWN_DELAY_MS, timeout: settings.SHUTDOWN_TIMEOUT_MS },
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
