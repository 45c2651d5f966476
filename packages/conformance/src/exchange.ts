/** A request as it is sent: nothing is encoded, normalised or added but the headers of the run. */
export interface OutgoingRequest {
  readonly method: string;
  /** The path and query, after the base URL. */
  readonly target: string;
  /** By name in lower case; a list goes out as one line for each of its values. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Without one, the request has no length at all; an empty one has the length 0. */
  readonly body?: string | Uint8Array;
  /** Sends the body in chunks, with no length before them. */
  readonly chunked?: boolean;
  /** Waits for the response without ending the request. */
  readonly unfinished?: boolean;
}

/** A complete response, and its request. */
export interface ReceivedResponse {
  readonly request: OutgoingRequest;
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Uint8Array;
  /** The bytes, read as UTF-8. */
  readonly text: string;
}
