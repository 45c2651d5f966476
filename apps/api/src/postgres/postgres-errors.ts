import { DatabaseError } from 'pg';

/** Transaction faults that go away when the statement is sent again (PostgreSQL, Appendix A). */
const RETRYABLE = new Set(['40001' /* serialization_failure */, '40P01' /* deadlock_detected */]);

/** Errors that say nothing of the statement, only that the server cannot run it now. */
const UNAVAILABLE = new Set([
  '25006', // read_only_sql_transaction: this server is a standby now
  '55P03', // lock_not_available
  '57014', // query_canceled, by the statement timeout
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
]);

/** Connection exceptions, insufficient resources, system errors. */
const UNAVAILABLE_CLASSES = new Set(['08', '53', '58']);

/** Refused log-ins and databases that do not exist. */
const LOGIN_CLASSES = new Set(['28', '3D']);

export function isRetryable(error: unknown): boolean {
  return error instanceof DatabaseError && RETRYABLE.has(error.code ?? '');
}

/** Whether an error means that the database is away, overloaded or changing over: waiting may mend it. */
export function isUnavailable(error: unknown): boolean {
  // pg throws plain errors for what comes from the connection: refused, cut, timed out. A TypeError is a bug of ours.
  if (!(error instanceof DatabaseError)) return !(error instanceof TypeError);
  const code = error.code ?? '';
  return isRetryable(error) || UNAVAILABLE.has(code) || UNAVAILABLE_CLASSES.has(code.slice(0, 2));
}

export function isLoginRefused(error: unknown): boolean {
  return error instanceof DatabaseError && LOGIN_CLASSES.has(error.code?.slice(0, 2) ?? '');
}
