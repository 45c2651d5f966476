import type { ReceivedResponse } from './received-response.js';

/** The result of a call, together with its response. */
export interface ClientResponse<Data> {
  data: Data;
  /** The HTTP status: 304 if `data` is the unchanged `known`. */
  status: number;
  headers: Headers;
  /** `X-Request-Id`, which the service also logs. */
  requestId: string | undefined;
  /** Whether an earlier create, or an earlier attempt of this one, made the booking with the same idempotency key. */
  replayed: boolean;
}

/** The promise of a result, with access to the response. */
export interface Call<Data> extends Promise<Data> {
  /** Resolves to the result with its response, without a further request. Rejects as the call does. */
  withResponse(): Promise<ClientResponse<Data>>;
}

export function callOf<Data>(response: Promise<ClientResponse<Data>>): Call<Data> {
  const call = response.then(({ data }) => data);
  const withResponse = () => {
    // Callers of `withResponse` handle the rejection of `response`. That of `call` would be reported as unhandled.
    call.catch(() => {});
    return response.then((whole) => whole);
  };
  return Object.assign(call, { withResponse });
}

/** The headers are read where the caller asks for them: SvelteKit's `fetch` throws for those that it does not show. */
export function clientResponse<Data>({ status, headers }: ReceivedResponse, data: Data): ClientResponse<Data> {
  return {
    data,
    status,
    headers,
    get requestId() {
      return headers.get('x-request-id') ?? undefined;
    },
    get replayed() {
      return headers.get('idempotent-replayed') === 'true';
    },
  };
}
