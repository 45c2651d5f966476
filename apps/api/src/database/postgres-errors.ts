import { DatabaseError } from 'pg';

/** The database cannot be asked now. Whether the statement ran is open. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/** Transaction faults that go away when the statement is sent again (PostgreSQL, Appendix A). */
const RETRYABLE = new Set(['40001' /* serialization_failure */, '40P01' /* deadlock_detected */]);

/**
 * The server connection behind the client's is another one: a pooler gave it one that lacks a prepared statement,
 * or has one of that name. Nothing has run.
 */
const NAME_LOST = new Set(['26000' /* invalid_sql_statement_name */, '42P05' /* duplicate_prepared_statement */]);

/** Errors that say nothing of the statement, only that the server cannot run it now. */
const UNAVAILABLE = new Set([
  '25006', // read_only_sql_transaction: this server is a standby now
  '25P03', // idle_in_transaction_session_timeout
  '25P04', // transaction_timeout
  '34000', // invalid_cursor_name: as above for a portal
  '40003', // statement_completion_unknown
  '55006', // object_in_use: the database is being renamed, dropped or copied
  '55P03', // lock_not_available
  '72000', // snapshot_too_old
]);

/** Connection exceptions, insufficient resources, operator intervention, system errors. */
const UNAVAILABLE_CLASSES = new Set(['08', '53', '57', '58']);

/** Rejected log-ins and databases that do not exist. */
const SHUT_OUT_CLASSES = new Set(['28', '3D']);
const SHUT_OUT = new Set([
  '42501' /* insufficient_privilege */,
  '42P01' /* undefined_table, as while it is restored */,
]);

const PROTOCOL_VIOLATION = '08P01';

function codeOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? (error.code ?? '') : undefined;
}

export function isRetryable(error: unknown): boolean {
  return RETRYABLE.has(codeOf(error) ?? '');
}

export function isNameLost(error: unknown): boolean {
  return NAME_LOST.has(codeOf(error) ?? '');
}

/** Whether an error means that the database is away, overloaded or changing over: waiting may mend it. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error);
  // pg throws plain errors for what comes from the connection: rejected, cut, timed out. A TypeError is a bug of ours.
  if (code === undefined) return !(error instanceof TypeError);
  return isRetryable(error) || isNameLost(error) || UNAVAILABLE.has(code) || UNAVAILABLE_CLASSES.has(code.slice(0, 2));
}

/** Whether the database, a table or the right to them is not there: a fault at start, an outage later. */
export function isShutOut(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  return SHUT_OUT.has(code) || SHUT_OUT_CLASSES.has(code.slice(0, 2));
}

/** Whether what accepts connections does not know a parameter that the connection was opened with. */
export function isParameterRejected(error: unknown): boolean {
  return codeOf(error) === PROTOCOL_VIOLATION;
}
