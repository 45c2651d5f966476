import cluster from 'node:cluster';
import { readSettings, settingsOf, type ValuesOf } from './setting.js';
import { settings } from './settings.js';

export type Config = ReturnType<typeof readConfig>;

/** The folder is two levels up from `src/config` and the bundle's `dist/chunks` alike. */
const MIGRATIONS = new URL('../../migrations/', import.meta.url);

type Environment = Record<string, string | undefined>;
type Values = ValuesOf<typeof settings>;

/**
 * Reads the settings from the environment. An empty variable counts as unset, but an empty AUTH_ variable is a fault,
 * as is an empty DATABASE_URL without STORE=memory.
 *
 * @throws Error with all faults in one line
 */
export function readConfig(env: Environment) {
  const faults: string[] = [];
  const values = readSettings(settings, env, faults);
  const database = values.store === 'memory' ? undefined : values.database;
  faults.push(...storeFaults(values, database === undefined, env), ...authNameFaults(env));
  if (faults.length > 0) throw new Error(`Bad settings: ${faults.join('; ')}.`);
  const { auth, server } = values;
  return {
    ...values,
    database: database && { ...database, migrations: MIGRATIONS },
    auth: auth.apiKeysFile === undefined && auth.oidc === undefined ? undefined : auth,
    server: { ...server, maxUnsentBytes: server.maxUnsentMib * 2 ** 20 },
  };
}

/** @param values undefined where they are invalid, which `readSettings` reports */
function storeFaults(values: Partial<Values>, isInMemory: boolean, env: Environment): string[] {
  const { environment, store, database, events } = values;
  const hasUrl = database !== undefined;
  const unread = env['DATABASE_URL_FILE'] ? ' (DATABASE_URL_FILE is not read)' : '';
  const faults: string[] = [];
  if (store === 'postgres' && !hasUrl) faults.push(`STORE=postgres requires DATABASE_URL${unread}`);
  // A database that is not named, or by another variable, must not become bookings that the next restart loses.
  if (environment === 'production' && !env['STORE'] && !hasUrl) {
    faults.push(`NODE_ENV=production requires DATABASE_URL, or STORE=memory${unread}`);
  }
  if (env['DATABASE_URL'] === '' && store === undefined) faults.push('DATABASE_URL is empty');
  // Each worker would book a slot for itself.
  if (isInMemory && cluster.isWorker) {
    faults.push(
      'a worker of a cluster, as `pm2 -i` starts it, requires PostgreSQL: set DATABASE_URL, without STORE=memory',
    );
  }
  // Events must survive a restart; bookings in memory do not.
  if (isInMemory && events !== undefined) {
    faults.push(
      'WEBHOOKS_FILE requires PostgreSQL: set DATABASE_URL, without STORE=memory, or run `pnpm start:postgres`',
    );
  }
  return faults;
}

/** Matches variables that Kubernetes sets for a Service, such as one named `auth-api`. */
const SERVICE_LINK = /_(?:SERVICE_HOST|(?:SERVICE_)?PORT(?:_\w+)?)$/;

/**
 * Rejects AUTH_ variables that are unknown, except those that Kubernetes sets, or empty, as a template leaves them for
 * a missing value: the service could be open to every caller.
 */
function authNameFaults(env: Environment): string[] {
  const known = new Set(settingsOf(settings).map(({ variable }) => variable));
  const names = Object.keys(env).filter((name) => name.startsWith('AUTH_') && !SERVICE_LINK.test(name));
  return names.flatMap((name) => {
    if (!known.has(name)) return [`${name} is unknown`];
    return env[name] === '' ? [`${name} is empty`] : [];
  });
}
