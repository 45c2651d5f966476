/** What a caller has used of its window. */
export interface Used {
  /** Requests in the window, the one just counted included. */
  readonly requests: number;
  /** Milliseconds until the window ends. */
  readonly left: number;
}

/** Counts requests of callers in windows, each of which begins with a caller's first request. */
export abstract class Counters {
  /** Counts a request. */
  abstract count(caller: string): Promise<Used>;
}

/** Callers whose windows a process keeps, at most; some 200 bytes each. */
const MAX_CALLERS = 100_000;

interface Window {
  requests: number;
  /** Of performance.now(): the wall clock may be set. */
  readonly end: number;
}

/** Windows that have not ended, of at most 100,000 callers: the oldest one is forgotten for another. */
export class Windows {
  private readonly byCaller = new Map<string, Window>();

  get(caller: string): Window | undefined {
    const window = this.byCaller.get(caller);
    return window !== undefined && window.end > performance.now() ? window : undefined;
  }

  /** @param left milliseconds until it ends */
  open(caller: string, requests: number, left: number): Window {
    // Deleted first, so that the oldest stays the first.
    this.byCaller.delete(caller);
    this.forgetFirst();
    const window = { requests, end: performance.now() + left };
    this.byCaller.set(caller, window);
    return window;
  }

  private forgetFirst(): void {
    const now = performance.now();
    for (const [caller, { end }] of this.byCaller) {
      if (end > now && this.byCaller.size < MAX_CALLERS) return;
      this.byCaller.delete(caller);
    }
  }
}

/** The counters of this process alone. */
export class OwnCounters extends Counters {
  private readonly windows = new Windows();

  /** @param window its milliseconds */
  constructor(private readonly window: number) {
    super();
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- as the counters that are shared
  override async count(caller: string): Promise<Used> {
    const window = this.windows.get(caller) ?? this.windows.open(caller, 0, this.window);
    window.requests++;
    return { requests: window.requests, left: window.end - performance.now() };
  }
}
