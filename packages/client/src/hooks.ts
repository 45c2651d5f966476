/** Which request a hook is about. One call sends several when it is retried or a token is replaced. */
export interface RequestDetails {
  readonly method: string;
  readonly url: string;
  /** 1 for the first attempt of the call. */
  readonly attempt: number;
}

export interface OutgoingRequest extends RequestDetails {
  /** What will be sent, to be read and added to. The idempotency key and `If-None-Match` stay as they are. */
  readonly headers: Headers;
  /** JSON; `undefined` for a request without a body. */
  readonly body: string | undefined;
}

export interface IncomingResponse extends RequestDetails {
  readonly status: number;
  readonly headers: Headers;
  /** The response's `X-Request-Id`, under which the service's log has the request. */
  readonly requestId: string | undefined;
  /** From sending the request until the response had arrived as a whole. */
  readonly milliseconds: number;
}

export interface Retry extends RequestDetails {
  /** Why the attempt before this one failed. */
  readonly error: Error;
  /** Milliseconds until the attempt. */
  readonly delay: number;
}

/**
 * Functions that see what the client sends and receives, such as for a log, metrics or a trace. Each may be async
 * and is awaited; the first two within the `timeout` of the attempt. An error that one throws fails the call unchanged,
 * and the call is not retried.
 */
export interface Hooks {
  /** Called before each request is sent. It may add `headers`. */
  beforeRequest?: ((request: OutgoingRequest) => void | Promise<void>) | undefined;
  /** Called with each response that arrived as a whole, errors included. */
  afterResponse?: ((response: IncomingResponse) => void | Promise<void>) | undefined;
  /** Called before the pause after which a request is sent again. To throw `error` gives up. */
  beforeRetry?: ((retry: Retry) => void | Promise<void>) | undefined;
}
