/** Traces of this process, once they are on. */
export interface Tracing {
  /** Which trace the code that runs belongs to, for the log. */
  logFields(): object;
  /** Sends what is not sent yet. */
  stop(): Promise<void>;
}
