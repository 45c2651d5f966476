/** A request without the headers of the run. */
export interface OutgoingRequest<Body extends string | Uint8Array = string | Uint8Array> {
  readonly method: string;
  /** The path and query, after the base URL. */
  readonly target: string;
  /** Headers by name in lower case; an array is sent as several lines. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** The body. If empty and not `chunked`, it is sent with a `Content-Length` of 0; if missing, without the header. */
  readonly body?: Body;
  readonly chunked?: boolean;
  /** Whether the request never ends. */
  readonly unfinished?: boolean;
}

export interface ReceivedResponse {
  readonly request: OutgoingRequest;
  readonly status: number;
  /** Headers by name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Uint8Array;
  /** The body, read as UTF-8. */
  readonly text: string;
}

/** The bytes that a connection received until the service closed it. */
export interface ReceivedBytes {
  /** The bytes that were sent, as a JSON string in `target`, without the headers of the run. */
  readonly request: OutgoingRequest;
  readonly text: string;
}
