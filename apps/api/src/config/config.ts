import cluster from 'node:cluster';
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { AuthSettings } from '../features/auth/auth-settings.js';
import type { DatabaseSettings } from '../platform/database/database.js';
import { variables } from './variables.js';

export type Config = Readonly<ReturnType<typeof readConfig>>;

/** The folder is two levels up from `src/config` and the bundle's `dist/chunks` alike. */
const MIGRATIONS = new URL('../../migrations/', import.meta.url);

type Settings = z.output<z.ZodObject<typeof variables>>;
type Environment = Record<string, string | undefined>;

/**
 * Reads the settings from the environment. An empty variable counts as unset, but an empty AUTH_ variable is a fault,
 * as is an empty DATABASE_URL without STORE=memory.
 *
 * @throws Error with all faults in one line
 */
export function readConfig(env: Environment) {
  const { values, faults } = readVariables(env);
  faults.push(...conflictFaults(values, env), ...ineffectiveFaults(values, env), ...authNameFaults(env));
  if (faults.length > 0) throw new Error(`Bad settings: ${faults.join('; ')}.`);
  const settings = values as Settings;
  const database = databaseSettings(settings);
  return {
    port: settings.PORT,
    host: settings.HOST,
    memoryMaxBookings: settings.MEMORY_MAX_BOOKINGS,
    bookingSchemaFile: settings.BOOKING_SCHEMA_FILE,
    database,
    auth: authSettings(settings),
    corsOrigins: settings.CORS_ORIGINS ?? [],
    swaggerUi: settings.SWAGGER_UI,
    timetable: settings.TIMETABLE ? { resources: settings.TIMETABLE_RESOURCES ?? [] } : undefined,
    log: {
      level: settings.LOG_LEVEL,
      format: settings.LOG_FORMAT,
      accessLog: settings.ACCESS_LOG,
      slowRequest: settings.SLOW_REQUEST_MS,
    },
    shutdown: { delay: settings.SHUTDOWN_DELAY_MS, timeout: settings.SHUTDOWN_TIMEOUT_MS },
    server: {
      requestTimeout: settings.REQUEST_TIMEOUT_MS,
      responseTimeout: settings.RESPONSE_TIMEOUT_MS,
      keepAliveTimeout: settings.KEEP_ALIVE_TIMEOUT_MS,
      maxConnections: settings.MAX_CONNECTIONS,
      maxUnsentBytes: settings.MAX_UNSENT_MIB * 2 ** 20,
    },
    rateLimit:
      settings.RATE_LIMIT === undefined
        ? undefined
        : { limit: settings.RATE_LIMIT, seconds: settings.RATE_LIMIT_WINDOW_SECONDS },
    events: eventSettings(settings),
    trustProxy: settings.TRUST_PROXY,
  };
}

function readVariables(env: Environment): { values: Partial<Settings>; faults: string[] } {
  const values: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [name, schema] of Object.entries(variables)) {
    const { success, data, error } = schema.safeParse(env[name] || undefined);
    if (success) values[name] = data;
    else faults.push(`${name} ${error.issues[0]!.message}`);
  }
  return { values, faults };
}

/** Finds conflicts between settings. @param values without the invalid ones, which `readVariables` reports */
function conflictFaults(values: Partial<Settings>, env: Environment): string[] {
  const { NODE_ENV: environment, STORE: store, WEBHOOKS_FILE: webhooks } = values;
  const hasUrl = Boolean(env['DATABASE_URL']);
  const isInMemory = store === 'memory' || !hasUrl;
  const unread = env['DATABASE_URL_FILE'] ? ' (DATABASE_URL_FILE is not read)' : '';
  const faults: string[] = [];
  if (store === 'postgres' && !hasUrl) faults.push(`STORE=postgres requires DATABASE_URL${unread}`);
  // A database that is not named, or by another variable, must not become bookings that the next restart loses.
  if (environment === 'production' && store === undefined && !hasUrl) {
    faults.push(`NODE_ENV=production requires DATABASE_URL, or STORE=memory${unread}`);
  }
  if (env['DATABASE_URL'] === '' && store !== 'memory') faults.push('DATABASE_URL is empty');
  // Each worker would book a slot for itself.
  if (isInMemory && cluster.isWorker) {
    faults.push(
      'a worker of a cluster, as `pm2 -i` starts it, requires PostgreSQL: set DATABASE_URL, without STORE=memory',
    );
  }
  // Events must survive a restart; bookings in memory do not.
  if (isInMemory && webhooks !== undefined) {
    faults.push(
      'WEBHOOKS_FILE requires PostgreSQL: set DATABASE_URL, without STORE=memory, or run `pnpm start:postgres`',
    );
  }
  return faults;
}

/**
 * Rejects a setting that differs from its default while its required variable is unset: the service would only seem
 * guarded, limited or durable.
 */
function ineffectiveFaults(values: Partial<Settings>, env: Environment): string[] {
  return Object.entries(variables).flatMap(([name, schema]) => {
    const required = schema.meta()?.['requires'] as keyof Settings | undefined;
    const isInEffect = required === undefined || Boolean(env[required]);
    const isDefault = isDeepStrictEqual(values[name as keyof Settings], schema.parse(undefined));
    return isInEffect || isDefault ? [] : [`${name} requires ${required}`];
  });
}

/** Matches variables that Kubernetes sets for a Service, such as one named `auth-api`. */
const SERVICE_LINK = /_(?:SERVICE_HOST|(?:SERVICE_)?PORT(?:_\w+)?)$/;

/**
 * Rejects AUTH_ variables that are unknown, except those that Kubernetes sets, or empty, as a template leaves them for
 * a missing value: the service could be open to every caller.
 */
function authNameFaults(env: Environment): string[] {
  const names = Object.keys(env).filter((name) => name.startsWith('AUTH_') && !SERVICE_LINK.test(name));
  return names.flatMap((name) => {
    if (!Object.hasOwn(variables, name)) return [`${name} is unknown`];
    return env[name] === '' ? [`${name} is empty`] : [];
  });
}

function databaseSettings(settings: Settings): Omit<DatabaseSettings, 'needs'> | undefined {
  if (settings.STORE === 'memory' || settings.DATABASE_URL === undefined) return undefined;
  return {
    url: settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL_SIZE,
    connectTimeout: settings.DATABASE_CONNECT_TIMEOUT_MS,
    statementTimeout: settings.DATABASE_STATEMENT_TIMEOUT_MS,
    migrateAtStart: settings.DATABASE_MIGRATE_AT_START,
    migrations: MIGRATIONS,
  };
}

function eventSettings(settings: Settings) {
  return {
    file: settings.WEBHOOKS_FILE,
    source: settings.WEBHOOKS_SOURCE,
    allowPrivate: settings.WEBHOOKS_ALLOW_PRIVATE,
    timeout: settings.WEBHOOKS_TIMEOUT_MS,
    shutdownTimeout: settings.SHUTDOWN_TIMEOUT_MS,
  };
}

function authSettings(settings: Settings): AuthSettings | undefined {
  const { AUTH_API_KEYS_FILE: apiKeysFile, AUTH_OIDC_ISSUER: issuer, AUTH_OIDC_AUDIENCE: audience } = settings;
  const oidc =
    issuer === undefined || audience === undefined
      ? undefined
      : {
          issuer,
          audience,
          jwksUri: settings.AUTH_OIDC_JWKS_URI,
          algorithms: settings.AUTH_OIDC_ALGORITHMS,
          scopeClaims: settings.AUTH_OIDC_SCOPE_CLAIMS,
        };
  return apiKeysFile === undefined && oidc === undefined ? undefined : { apiKeysFile, oidc };
}
