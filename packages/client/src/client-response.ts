import { type ReceivedResponse, requestIdOf } from './responses.js';

/** The result of a call with its response. */
export interface ClientResponse<Data> {
  /** The result of the call. */
  data: Data;
  /** The HTTP status: 304 if `data` is the `known` booking, unchanged. */
  status: number;
  headers: Headers;
  /** `X-Request-Id`, which the service also logs. */
  requestId: string | undefined;
  /** Whether an earlier create with this idempotency key made the booking. */
  replayed: boolean;
}

/** The promise of a result, with access to the response. */
export interface Call<Data> extends Promise<Data> {
  /** Resolves to the result with its response, and rejects as the call does, without a further request. */
  withResponse(): Promise<ClientResponse<Data>>;
}

export function callOf<Data>(response: Promise<ClientResponse<Data>>): Call<Data> {
  const call = response.then(({ data }) => data);
  const withResponse = () => {
    // Callers handle the rejection of the returned promise; that of `call` would count as unhandled.
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
