/** The request of a hook. A call sends several for retries and for another token. */
export interface RequestDetails {
  readonly method: string;
  readonly url: string;
  /** 1 for the first attempt of the call. */
  readonly attempt: number;
}

export interface OutgoingRequest extends RequestDetails {
  /** The hook may add headers, but not change the idempotency key and `If-None-Match`. */
  readonly headers: Headers;
  /** JSON, if any. */
  readonly body: string | undefined;
}

export interface IncomingResponse extends RequestDetails {
  readonly status: number;
  readonly headers: Headers;
  /** `X-Request-Id`, which the service also logs. */
  readonly requestId: string | undefined;
  /** From the request to the complete response. */
  readonly milliseconds: number;
}

export interface Retry extends RequestDetails {
  /** The failure of the last attempt. */
  readonly error: Error;
  /** Milliseconds until the attempt. */
  readonly delay: number;
}

/**
 * Functions for logs, metrics and traces. The client awaits them, the first two within the `timeout` of the attempt.
 * If a hook throws, the call fails with that error and is not retried.
 */
export interface Hooks {
  /** Called before each request. */
  beforeRequest?: ((request: OutgoingRequest) => void | Promise<void>) | undefined;
  /** Called with each complete response, errors included. */
  afterResponse?: ((response: IncomingResponse) => void | Promise<void>) | undefined;
  /** Called before the pause of a retry. Throw `error` to give up. */
  beforeRetry?: ((retry: Retry) => void | Promise<void>) | undefined;
}
