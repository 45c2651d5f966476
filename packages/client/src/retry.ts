import { sleep } from './deadline.js';
import { type BookingsError, ConnectionError, ProblemError, TimeoutError } from './errors.js';

/** The maximum backoff before the first retry, in milliseconds. Each further retry doubles it, up to `MAX_BACKOFF`. */
const FIRST_BACKOFF = 250;
const MAX_BACKOFF = 8_000;
/** The longest `Retry-After` to wait for, in seconds. Beyond that, the call fails at once. */
const MAX_RETRY_AFTER = 60;

/**
 * Calls `attempt` until it succeeds, its error is not worth a retry, or no retry is left.
 *
 * @throws the error of the last attempt, or the reason of `signal` as soon as it aborts between two attempts
 */
export async function withRetries<Value>(
  { maxRetries, signal }: { maxRetries: number; signal: AbortSignal | undefined },
  attempt: () => Promise<Value>,
): Promise<Value> {
  for (let retries = 0; ; retries++) {
    try {
      return await attempt();
    } catch (error) {
      if (retries >= maxRetries || !isWorthRetrying(error)) throw error;
      await sleep(pauseBefore(retries, error), signal);
    }
  }
}

function isWorthRetrying(error: unknown): error is BookingsError {
  if (error instanceof ConnectionError) return isOfNetwork(error.cause);
  if (error instanceof TimeoutError) return true;
  if (!(error instanceof ProblemError) || (error.retryAfter ?? 0) > MAX_RETRY_AFTER) return false;
  return error.status === 408 || error.status === 429 || error.status >= 500;
}

/** An error from `fetch`: a TypeError, as the Fetch Standard says, to which Node adds a cause. */
type FetchFailure = { name?: unknown; message?: unknown; code?: unknown; cause?: FetchFailure };

/** Whether `fetch` reports a failed network: by a TypeError, a NetworkError or a code, except for a blocked port. */
function isOfNetwork(error: unknown): boolean {
  const { name } = Object(error) as FetchFailure;
  const isKnown = /^(Type|Network)Error$/.test(String(name)) || codeOf(error) !== undefined;
  return isKnown && !/bad port|are blocked/.test(reasonOf(error));
}

/** The reason why `fetch` failed: a code such as ECONNREFUSED, otherwise the message of the cause or of the error. */
export function reasonOf(error: unknown): string {
  const { message, cause } = Object(error) as FetchFailure;
  return codeOf(error) ?? String(cause?.message ?? message ?? error);
}

function codeOf(error: unknown): string | undefined {
  const { code, cause } = Object(error) as FetchFailure;
  return [cause?.code, code].find((each) => typeof each === 'string');
}

/** Milliseconds to wait: `Retry-After` plus a random backoff, so that clients rejected together retry apart. */
function pauseBefore(retries: number, error: unknown): number {
  const backoff = Math.random() * Math.min(MAX_BACKOFF, FIRST_BACKOFF * 2 ** retries);
  const retryAfter = error instanceof ProblemError ? (error.retryAfter ?? 0) : 0;
  return retryAfter * 1000 + backoff;
}

/** `Retry-After` in seconds (RFC 9110 §10.2.3), 0 for a past date; undefined if absent or malformed. */
export function retryAfterOf(value = ''): number | undefined {
  if (/^\d+$/.test(value)) return Number(value);
  // `Date.parse` accepts nearly any text, but an HTTP-date that a server sends ends in GMT (RFC 9110 §5.6.7).
  const date = value.endsWith('GMT') ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}
