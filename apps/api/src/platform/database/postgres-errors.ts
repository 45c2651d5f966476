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

/**
 * What an error means: `rolled back` can be retried; `locked` means that another transaction held a lock for too long;
 * `canceled` that the server has ended the statement, at its own time limit or for an operator; `unavailable` is over
 * once the database is up, idle or the primary again; `denied` is a rejected login; `not granted` a missing privilege or
 * table; `other` is a bug, or a schema that does not fit. Nothing of a statement that was rolled back, locked out, denied
 * or not granted is kept.
 */
type Meaning = 'rolled back' | 'locked' | 'canceled' | 'unavailable' | 'denied' | 'not granted' | 'other';

export const INSUFFICIENT_PRIVILEGE = '42501';

/** The meanings of SQLSTATEs and, in two characters, of classes of them (PostgreSQL, Appendix A). */
const MEANINGS = new Map<string, Meaning>([
  ['26000', 'rolled back'], // invalid_sql_statement_name: the session has lost its prepared statements
  ['40001', 'rolled back'], // serialization_failure
  ['40P01', 'rolled back'], // deadlock_detected
  ['42P05', 'rolled back'], // duplicate_prepared_statement
  ['55P03', 'locked'], // lock_not_available
  ['57014', 'canceled'], // query_canceled
  ['08', 'unavailable'], // connection exceptions
  ['25006', 'unavailable'], // read_only_sql_transaction: this server is a standby now
  ['25P03', 'unavailable'], // idle_in_transaction_session_timeout
  ['25P04', 'unavailable'], // transaction_timeout
  ['34000', 'unavailable'], // invalid_cursor_name: the session has lost its portal; compare 26000
  ['40003', 'unavailable'], // statement_completion_unknown
  ['53', 'unavailable'], // insufficient resources
  ['55006', 'unavailable'], // object_in_use: the database is being renamed, dropped or copied
  ['57', 'unavailable'], // operator intervention
  ['58', 'unavailable'], // system errors
  ['72000', 'unavailable'], // snapshot_too_old
  ['28', 'denied'], // invalid authorization
  ['3D', 'denied'], // invalid catalog name: no such database
  [INSUFFICIENT_PRIVILEGE, 'not granted'],
  ['42P01', 'not granted'], // undefined_table, as during a restore
]);

/** @returns the SQLSTATE of an error from the server; undefined for any other error */
export function sqlstateOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? (error.code ?? '') : undefined;
}

function meaningOf(error: unknown): Meaning {
  if (error instanceof SchemaMismatch || error instanceof TypeError) return 'other';
  const code = sqlstateOf(error);
  // A connection that is refused, cut or timed out fails with a plain Error.
  if (code === undefined) return 'unavailable';
  return MEANINGS.get(code) ?? MEANINGS.get(code.slice(0, 2)) ?? 'other';
}

export function isRetryable(error: unknown): boolean {
  return meaningOf(error) === 'rolled back';
}

/** Whether only the operator can help: waiting does not. */
export function isFatal(error: unknown): boolean {
  const meaning = meaningOf(error);
  return meaning === 'denied' || meaning === 'not granted' || meaning === 'other';
}

/** Whether the database is at fault, rather than the statement. Denied access is fatal at the start, but a 503 later. */
export function isDatabaseFault(error: unknown): boolean {
  return meaningOf(error) !== 'other';
}

/** Whether the session is as before: the server has ended the statement alone. */
export function keepsSession(error: Error): boolean {
  const meaning = meaningOf(error);
  return meaning === 'locked' || meaning === 'canceled';
}

/** Whether an error proves that nothing of the statement was kept; after any other, the outcome counts as unknown. */
export function isRolledBack(error: unknown): boolean {
  if (!(error instanceof DatabaseUnavailable)) return sqlstateOf(error) !== undefined;
  const meaning = meaningOf(error.cause);
  return ['rolled back', 'locked', 'denied', 'not granted'].includes(meaning);
}

/**
 * Whether an error suggests that the database is down or rejects all statements. Callers need not log it: the health
 * check does.
 */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof DatabaseUnavailable) || error.cause instanceof StatementTimeout) return false;
  const meaning = meaningOf(error.cause);
  return meaning === 'unavailable' || meaning === 'denied';
}
