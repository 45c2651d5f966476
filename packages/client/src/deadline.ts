/**
 * Runs `work`. If `milliseconds` pass or `signal` aborts before `work` ends, aborts the signal given to it, and rejects
 * at once with `expired()` or the reason of `signal`.
 */
export async function withDeadline<Value>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  expired: () => Error,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  // AbortSignal.any leaks memory with a long-lived signal in Node (nodejs/node#54614).
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(expired()), milliseconds);
  });
  try {
    return await unlessAborted(signal, () => Promise.race([deadline, work(controller.signal)]));
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}

/** Resolves after `milliseconds`, or rejects with the reason of `signal` as soon as it aborts. */
export async function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await unlessAborted(signal, () => new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds))));
  } finally {
    clearTimeout(timer);
  }
}

/** Runs `work` unless `signal` is aborted. When `signal` aborts, rejects with its reason, even if `work` goes on. */
async function unlessAborted<Value>(signal: AbortSignal | undefined, work: () => Promise<Value>): Promise<Value> {
  if (signal?.aborted) throw abortReason(signal);
  let stop = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(abortReason(signal!));
    signal?.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([aborted, work()]);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** The reason of a signal, or a default where signals have no reason (React Native, Safari before 15.4). */
export function abortReason(signal: AbortSignal): unknown {
  return signal.reason ?? Object.assign(new Error('The call was aborted.'), { name: 'AbortError' });
}
