import type { ServerSettings } from './http/http-adapter.js';
import type { DatabaseSettings } from './database/database-pools.js';
import type { AuthSettings } from './auth/auth-settings.js';
import { variables } from './config-table.js';
import { readVariables, type Values } from './config-variable.js';
import type { EventSettings } from './events/sender.js';
import type { LogSettings } from './observability/logger.js';
import type { RequestLogSettings } from './observability/request-log.js';
import type { ShutdownSettings } from './observability/shutdown.js';
import type { RateLimitSettings } from './rate-limit/rate-limiter.js';

/** The settings of the service, area by area; `config-table.ts` has the variables that they come from. */
export interface Config {
  /** 0 takes any free one. */
  readonly port: number;
  readonly host: string;
  /** Whether bookings are in memory in production, and nothing says that this is meant. */
  readonly isMemoryUnasked: boolean;
  /** Bookings beyond which the in-memory store rejects a create. */
  readonly memoryMaxBookings: number;
  /** A JSON Schema that create payloads have to match as well; every member is free where it is not set. */
  readonly bookingSchemaFile: string | undefined;
  /** Where bookings are kept; in memory where it is not set. */
  readonly database: DatabaseSettings | undefined;
  /** Which tokens are accepted; none are asked for where it is not set. */
  readonly auth: AuthSettings | undefined;
  /** Origins whose pages may use the service in a browser. */
  readonly corsOrigins: readonly string[];
  /** Whether Swagger UI is at `/docs`. */
  readonly swaggerUi: boolean;
  /** What the page at `/timetable` shows before anybody has booked it; there is no such page where it is not set. */
  readonly timetable: { readonly resources: readonly string[] } | undefined;
  readonly log: LogSettings & RequestLogSettings;
  readonly shutdown: ShutdownSettings;
  readonly server: ServerSettings;
  /** How many requests a caller has; any number where it is not set. */
  readonly rateLimit: RateLimitSettings | undefined;
  /** Whom bookings are told to; nobody where it is not set. */
  readonly events: EventSettings | undefined;
  /** Proxies before the service, each of which appends the address that it saw to `X-Forwarded-For`. */
  readonly trustProxy: number;
}

export class InvalidConfig extends Error {
  override readonly name = 'InvalidConfig';
}

/** Beside the folder of this file: `src`, `build` and `dist` alike. */
const MIGRATIONS = new URL('../migrations/', import.meta.url);

type Settings = Values<typeof variables>;
type Environment = Record<string, string | undefined>;

/**
 * Reads the settings from the environment; an empty variable counts as not set.
 *
 * @throws InvalidConfig with every fault in one line
 */
export function readConfig(env: Environment): Config {
  const { values, faults } = readVariables(variables, env);
  faults.push(...storeFaults(values, env), ...eventFaults(values, env), ...timeoutFaults(values), ...authFaults(env));
  if (faults.length > 0) throw new InvalidConfig(`Bad settings: ${faults.join('; ')}.`);
  const settings = values as Settings;
  const database = settings.STORE === 'memory' ? undefined : databaseSettings(settings);
  return {
    port: settings.PORT,
    host: settings.HOST,
    memoryMaxBookings: settings.MEMORY_MAX_BOOKINGS,
    bookingSchemaFile: settings.BOOKING_SCHEMA_FILE,
    database,
    isMemoryUnasked: settings.NODE_ENV === 'production' && database === undefined && settings.STORE === undefined,
    auth: authSettings(settings),
    corsOrigins: settings.CORS_ORIGINS ?? [],
    swaggerUi: settings.SWAGGER_UI,
    timetable: settings.TIMETABLE ? { resources: settings.TIMETABLE_RESOURCES ?? [] } : undefined,
    log: {
      level: settings.LOG_LEVEL,
      format: settings.LOG_FORMAT,
      accessLog: settings.ACCESS_LOG,
      refusals: settings.LOG_REFUSALS,
      slowRequest: settings.SLOW_REQUEST_MS,
    },
    shutdown: { delay: settings.SHUTDOWN_DELAY_MS, timeout: settings.SHUTDOWN_TIMEOUT_MS },
    server: {
      headersTimeout: settings.HEADERS_TIMEOUT_MS,
      requestTimeout: settings.REQUEST_TIMEOUT_MS,
      responseTimeout: settings.RESPONSE_TIMEOUT_MS,
      keepAliveTimeout: settings.KEEP_ALIVE_TIMEOUT_MS,
      maxConnections: settings.MAX_CONNECTIONS,
      maxUnsentBytes: settings.MAX_UNSENT_MIB * 2 ** 20,
    },
    rateLimit:
      settings.RATE_LIMIT === undefined
        ? undefined
        : { requests: settings.RATE_LIMIT, window: settings.RATE_LIMIT_WINDOW_SECONDS },
    events: eventSettings(settings),
    trustProxy: settings.TRUST_PROXY,
  };
}

function storeFaults({ STORE: store }: Partial<Settings>, env: Environment): string[] {
  return store === 'postgres' && !env['DATABASE_URL'] ? ['STORE=postgres needs DATABASE_URL beside it'] : [];
}

/** Events outlive the process that sends them, as the bookings in memory do not. */
function eventFaults({ WEBHOOKS_FILE: file, STORE: store }: Partial<Settings>, env: Environment): string[] {
  if (file === undefined || (store !== 'memory' && env['DATABASE_URL'])) return [];
  return ['WEBHOOKS_FILE requires PostgreSQL: set DATABASE_URL, without STORE=memory, or run `pnpm start:postgres`'];
}

/** Found beside other faults, where one of the two may have no value. */
function timeoutFaults({ HEADERS_TIMEOUT_MS: headers, REQUEST_TIMEOUT_MS: request }: Partial<Settings>): string[] {
  const isLonger = headers !== undefined && request !== undefined && headers > request;
  return isLonger ? ['HEADERS_TIMEOUT_MS must not be above REQUEST_TIMEOUT_MS'] : [];
}

/** A setting of the issuer without the issuer is a fault: whoever set it believes that the service is guarded. */
function authFaults(env: Environment): string[] {
  if (!env['AUTH_OIDC_ISSUER']) {
    return Object.keys(variables)
      .filter((name) => name.startsWith('AUTH_OIDC_') && env[name])
      .map((name) => `${name} needs AUTH_OIDC_ISSUER beside it`);
  }
  // Without an audience, whatever the issuer signs for any other service would be accepted here.
  return env['AUTH_OIDC_AUDIENCE'] ? [] : ['AUTH_OIDC_ISSUER needs AUTH_OIDC_AUDIENCE beside it'];
}

function databaseSettings(settings: Settings): DatabaseSettings | undefined {
  if (settings.DATABASE_URL === undefined) return undefined;
  return {
    url: settings.DATABASE_URL,
    readUrl: settings.DATABASE_READ_URL,
    poolSize: settings.DATABASE_POOL_SIZE,
    connectTimeout: settings.DATABASE_CONNECT_TIMEOUT_MS,
    statementTimeout: settings.DATABASE_STATEMENT_TIMEOUT_MS,
    migrateAtStart: settings.DATABASE_MIGRATE_AT_START,
    migrations: MIGRATIONS,
  };
}

function eventSettings(settings: Settings): EventSettings | undefined {
  if (settings.WEBHOOKS_FILE === undefined) return undefined;
  return {
    file: settings.WEBHOOKS_FILE,
    source: settings.WEBHOOKS_SOURCE,
    allowPrivate: settings.WEBHOOKS_ALLOW_PRIVATE,
    timeout: settings.WEBHOOKS_TIMEOUT_MS,
  };
}

function authSettings(settings: Settings): AuthSettings | undefined {
  const { AUTH_API_KEYS_FILE: apiKeysFile, AUTH_OIDC_ISSUER: issuer, AUTH_OIDC_AUDIENCE: audience } = settings;
  const oidc =
    issuer === undefined || audience === undefined
      ? undefined
      : { issuer, audience, jwksUri: settings.AUTH_OIDC_JWKS_URI, algorithms: settings.AUTH_OIDC_ALGORITHMS };
  if (apiKeysFile !== undefined) return { apiKeysFile, oidc };
  return oidc && { apiKeysFile, oidc };
}
