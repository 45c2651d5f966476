/**
 * Does `work` until `milliseconds` have passed or `signal` aborts. Then the signal that was passed
 * to `work` aborts, and the promise rejects at once, even if `work` ignores it: with the reason of
 * `signal`, or with what `expired` returns.
 */
export async function withDeadline<Value>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  expired: () => Error,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  signal?.throwIfAborted();
  // Not AbortSignal.any: in Node it leaks memory with every use of a long-lived signal (nodejs/node#54614).
  const controller = new AbortController();
  const stop = () => controller.abort(signal?.reason);
  const timer = setTimeout(() => controller.abort(expired()), milliseconds);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([rejectionOf(controller.signal), work(controller.signal)]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/** Resolves after `milliseconds`; rejects at once with the reason of `signal` when that aborts. */
export async function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
