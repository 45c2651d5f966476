import { type ReceivedResponse, requestIdOf } from './responses.js';

/** What a call resolves to, and the response that it came with. */
export interface ClientResponse<Data> {
  /** What the call itself resolves to. */
  data: Data;
  /** The HTTP status, 304 where `data` is the booking that was known. */
  status: number;
  headers: Headers;
  /** The response's `X-Request-Id`, under which the service's log has the request. */
  requestId: string | undefined;
  /** Whether the booking was made by an earlier create with the same idempotency key. */
  replayed: boolean;
}

/** The promise of a call, which gives access to the response too. */
export interface Call<Data> extends Promise<Data> {
  /** Resolves to the same data together with the response; rejects as the call does. Sends nothing more. */
  withResponse(): Promise<ClientResponse<Data>>;
}

export function callOf<Data>(response: Promise<ClientResponse<Data>>): Call<Data> {
  const call = response.then(({ data }) => data);
  const withResponse = () => {
    // The caller handles the rejection of this promise; that of `call` must not count as unhandled.
    call.catch(() => {});
    return response.then((whole) => whole);
  };
  return Object.assign(call, { withResponse });
}

export function clientResponse<Data>(response: ReceivedResponse, data: Data): ClientResponse<Data> {
  const { status, headers } = response;
  const replayed = headers.get('idempotent-replayed') === 'true';
  return { data, status, headers, requestId: requestIdOf(headers), replayed };
}
