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
  // AbortSignal.any leaks memory in Node with every use of a long-lived signal (nodejs/node#54614).
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

/** Resolves after `milliseconds`; rejects at once with the reason of `signal` when that aborts. */
export async function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await unlessAborted(signal, () => new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds))));
  } finally {
    clearTimeout(timer);
  }
}

/** Does `work`, unless `signal` has aborted; rejects at once with its reason when it does, even if `work` goes on. */
export async function unlessAborted<Value>(
  signal: AbortSignal | undefined,
  work: () => Promise<Value>,
): Promise<Value> {
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

/** Why a signal aborted. React Native and Safari before 15.4 keep no reason, and have no DOMException to make. */
export function abortReason(signal: AbortSignal): unknown {
  return signal.reason ?? Object.assign(new Error('The call was aborted.'), { name: 'AbortError' });
}
