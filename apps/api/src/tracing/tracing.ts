/** Traces of this process, once they are on. */
export interface Tracing {
  /** Which trace the code that runs belongs to, for the log. */
  readonly logFields: () => object;
  /** Sends what is not sent yet, if that can be done soon; never rejects. */
  readonly stop: () => Promise<void>;
}
