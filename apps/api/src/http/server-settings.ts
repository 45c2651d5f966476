/** Bounds of the HTTP server; times are in milliseconds. */
export interface ServerSettings {
  /** Until the headers of a request are read. */
  readonly headersTimeout: number;
  /** Until a request is read to its end. */
  readonly requestTimeout: number;
  /** For the next request of a connection. */
  readonly keepAliveTimeout: number;
  /** Without progress in reading a response, after which a connection is closed; at most twice as long. */
  readonly responseTimeout: number;
  readonly maxConnections: number;
  /** Bytes of responses that wait to be read, over all connections. */
  readonly maxUnsentBytes: number;
}
