import { DatabaseError } from 'pg';

/** The database does not respond, or cannot run a statement now. The statement may still have run. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/** The database or its schema does not fit the service. Only the operator can help. */
export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch';
}

/** The response did not arrive in time; the statement may still run. */
export class StatementTimeout extends Error {}

/** Errors after which a transaction is retried (PostgreSQL, Appendix A), since nothing of it was kept. */
const RETRYABLE = new Set([
  '26000', // invalid_sql_statement_name: the session has lost its prepared statements
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '42P05', // duplicate_prepared_statement
]);

/** Another transaction held a lock for too long; nothing of the statement was kept. */
export const LOCK_NOT_AVAILABLE = '55P03';
/** The server has ended a statement, at its own time limit or for an operator. */
export const QUERY_CANCELED = '57014';

const UNAVAILABLE = new Set([
  '25006', // read_only_sql_transaction: this server is a standby now
  '25P03', // idle_in_transaction_session_timeout
  '25P04', // transaction_timeout
  '34000', // invalid_cursor_name: the session has lost its portal; compare 26000
  '40003', // statement_completion_unknown
  '55006', // object_in_use: the database is being renamed, dropped or copied
  LOCK_NOT_AVAILABLE,
  '72000', // snapshot_too_old
]);

/** Classes of SQLSTATE: connection exceptions, insufficient resources, operator intervention, system errors. */
const UNAVAILABLE_CLASSES = new Set(['08', '53', '57', '58']);

/** Classes of SQLSTATE: rejected logins, missing databases. */
const ACCESS_DENIED_CLASSES = new Set(['28', '3D']);
export const INSUFFICIENT_PRIVILEGE = '42501';
const ACCESS_DENIED = new Set([
  INSUFFICIENT_PRIVILEGE,
  '42P01', // undefined_table, as during a restore
]);

/** @returns the SQLSTATE of an error from the server; undefined for any other error */
export function sqlstateOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? (error.code ?? '') : undefined;
}

/**
 * What an error means: `rolled back` can be retried; `unavailable` is over once the database is up, idle or the primary
 * again; `denied` is a rejected login or a missing privilege; `other` is a bug, or a schema that does not fit.
 */
function meaningOf(error: unknown): 'rolled back' | 'unavailable' | 'denied' | 'other' {
  const code = sqlstateOf(error);
  if (error instanceof SchemaMismatch || error instanceof TypeError) return 'other';
  // A connection that is refused, cut or timed out fails with a plain Error.
  if (code === undefined) return 'unavailable';
  const errorClass = code.slice(0, 2);
  if (RETRYABLE.has(code)) return 'rolled back';
  if (UNAVAILABLE.has(code) || UNAVAILABLE_CLASSES.has(errorClass)) return 'unavailable';
  return ACCESS_DENIED.has(code) || ACCESS_DENIED_CLASSES.has(errorClass) ? 'denied' : 'other';
}

export function isRetryable(error: unknown): boolean {
  return meaningOf(error) === 'rolled back';
}

/** Whether only the operator can help: waiting does not. */
export function isFatal(error: unknown): boolean {
  const meaning = meaningOf(error);
  return meaning === 'denied' || meaning === 'other';
}

/** Whether the database is at fault, rather than the statement. Denied access is fatal at the start, but a 503 later. */
export function isDatabaseFault(error: unknown): boolean {
  return meaningOf(error) !== 'other';
}

/** Whether an error proves that nothing of the statement was kept; after any other, the outcome counts as unknown. */
export function isRolledBack(error: unknown): boolean {
  if (!(error instanceof DatabaseUnavailable)) return sqlstateOf(error) !== undefined;
  const meaning = meaningOf(error.cause);
  return meaning === 'rolled back' || meaning === 'denied' || sqlstateOf(error.cause) === LOCK_NOT_AVAILABLE;
}

/**
 * Whether an error suggests that the database is down or rejects all statements. Callers need not log it: the health
 * check does.
 */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof DatabaseUnavailable) || error.cause instanceof StatementTimeout) return false;
  const code = sqlstateOf(error.cause) ?? '';
  return code !== LOCK_NOT_AVAILABLE && code !== QUERY_CANCELED && !code.startsWith('42');
}
