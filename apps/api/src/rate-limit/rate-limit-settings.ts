export interface RateLimitSettings {
  /** Requests that a caller has in a window. */
  readonly requests: number;
  /** Seconds of a window, which begins with a caller's first request. */
  readonly window: number;
}
