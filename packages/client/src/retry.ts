import { sleep, unlessAborted } from './deadline.js';
import { type BookingsError, ConnectionError, ProblemError, TimeoutError } from './errors.js';

/** Milliseconds: the longest backoff before the first retry, doubled for each one after it, and its bound. */
const FIRST_BACKOFF = 250;
const MAX_BACKOFF = 8_000;
/** Seconds. Where `Retry-After` is longer than this, the call fails at once, and the caller decides. */
const MAX_RETRY_AFTER = 60;

/**
 * Calls `attempt` with 1, 2 and so on until it succeeds, fails for good, or has been retried `maxRetries` times.
 * `beforeRetry` is called with the number of the next attempt, the error of the last one and the milliseconds
 * between them.
 *
 * @throws the error of the last attempt; what `beforeRetry` throws; the reason of `signal` at once when that aborts
 */
export async function withRetries<Value>(
  { maxRetries, signal }: { maxRetries: number; signal: AbortSignal | undefined },
  attempt: (number: number) => Promise<Value>,
  beforeRetry: (number: number, error: Error, delay: number) => Promise<void>,
): Promise<Value> {
  for (let retries = 0; ; retries++) {
    try {
      return await attempt(retries + 1);
    } catch (error) {
      if (retries >= maxRetries || !isWorthRetrying(error)) throw error;
      const delay = pauseBefore(retries, error);
      await unlessAborted(signal, () => beforeRetry(retries + 2, error, delay));
      await sleep(delay, signal);
    }
  }
}

function isWorthRetrying(error: unknown): error is BookingsError {
  if (error instanceof ConnectionError) return isOfNetwork(error.cause);
  if (error instanceof TimeoutError) return true;
  if (!(error instanceof ProblemError) || (error.retryAfter ?? 0) > MAX_RETRY_AFTER) return false;
  return error.status === 408 || error.status === 429 || error.status >= 500;
}

/** What `fetch` rejects with: a TypeError by its standard; Node has more in the cause. */
type FetchFailure = { name?: unknown; message?: unknown; code?: unknown; cause?: FetchFailure };

/** Whether it was the network that failed; not where `fetch` blocks the port, or the caller's own `fetch` has a fault. */
function isOfNetwork(error: unknown): boolean {
  const { name } = Object(error) as FetchFailure;
  const isKnown = /^(Type|Network)Error$/.test(String(name)) || codeOf(error) !== undefined;
  return isKnown && !/bad port|are blocked/.test(reasonOf(error));
}

/** Why `fetch` failed: a code such as ECONNREFUSED, or a message, in Deno that of the cause. */
export function reasonOf(error: unknown): string {
  const { message, cause } = Object(error) as FetchFailure;
  return codeOf(error) ?? String(cause?.message ?? message ?? error);
}

function codeOf(error: unknown): string | undefined {
  const { code, cause } = Object(error) as FetchFailure;
  return [cause?.code, code].find((each) => typeof each === 'string');
}

/**
 * Milliseconds: `Retry-After`, and the backoff on top of it, so that clients that were rejected together
 * do not retry together.
 */
function pauseBefore(retries: number, error: unknown): number {
  const backoff = Math.random() * Math.min(MAX_BACKOFF, FIRST_BACKOFF * 2 ** retries);
  const retryAfter = error instanceof ProblemError ? (error.retryAfter ?? 0) : 0;
  return retryAfter * 1000 + backoff;
}

/** `Retry-After` in seconds (RFC 9110 §10.2.3), 0 for a date in the past; undefined if it is absent or malformed. */
export function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after') ?? '';
  if (/^\d+$/.test(value)) return Number(value);
  // Date.parse finds a year in nearly any text; every HTTP-date that may still be sent ends in GMT.
  const date = value.endsWith('GMT') ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}
