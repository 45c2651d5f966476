/** What the service uses of this package. `postgres-database/hosts` is the one part that does not load `pg`. */
export { PLANNING } from './connection.js';
export { Database } from './database.js';
export type { DatabaseSettings } from './database-pools.js';
export { DatabaseUnavailable, isRetryable } from './postgres-errors.js';
export { migrate } from './schema.js';
export { prepared, preparedOnce, type Statement } from './statement.js';
