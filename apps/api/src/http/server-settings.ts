/** Bounds of the HTTP server; times are in milliseconds. */
export interface ServerSettings {
  /** Until the headers of a request are read. */
  readonly headersTimeout: number;
  /** Until a request is read to its end. */
  readonly requestTimeout: number;
  /** That a client may make no progress in reading its response before its connection is closed. */
  readonly responseTimeout: number;
  /** For the next request of a connection. */
  readonly keepAliveTimeout: number;
  readonly maxConnections: number;
  /** Bytes of responses that may wait to be sent, over all connections. */
  readonly maxUnsentBytes: number;
}
