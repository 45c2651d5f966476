import { BookingsError, UnexpectedResponseError } from './errors.js';
import { reasonOf } from './retry.js';

export interface ReceivedResponse {
  status: number;
  statusText: string;
  headers: Headers;
  body: string;
}

/** Awaits a part of a response, so that only its errors are those of the network. */
type Arrival = <Part>(part: Promise<Part>) => Promise<Part>;

/**
 * A response with its whole text.
 *
 * @throws what `arrival` throws
 * @throws UnexpectedResponseError for a body beyond 8 MiB, if it is a stream, or one that the client cannot read
 */
export async function receive(response: Response, arrival: Arrival): Promise<ReceivedResponse> {
  try {
    const { status, statusText, headers } = response;
    return { status, statusText, headers, body: await textOf(response, arrival) };
  } catch (cause) {
    if (cause instanceof BookingsError) throw cause;
    const { status, headers } = Object(response) as Response;
    throw new UnexpectedResponseError(
      `The client cannot read what \`fetch\` returned (${reasonOf(cause)})`,
      status,
      headerOf(headers, 'x-request-id'),
      { cause },
    );
  }
}

/** Maximum bytes of a response's body; a page of bookings has up to about 1 MiB. */
const MAX_BYTES = 8 * 1_048_576;

async function textOf(response: Response, arrival: Arrival): Promise<string> {
  if (response.bodyUsed) throw new TypeError('its body has been read already');
  const chunks = chunksOf(response.body);
  if (chunks === undefined) return arrival(response.text());
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await arrival(chunks.next());
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > MAX_BYTES) break;
    text += decoder.decode(value, { stream: true });
  }
  await chunks.stop();
  throw new UnexpectedResponseError(
    'The response is longer than 8 MiB',
    response.status,
    headerOf(response.headers, 'x-request-id'),
  );
}

interface Chunks {
  next(): Promise<IteratorResult<Uint8Array, unknown> | ReadableStreamReadResult<Uint8Array>>;
  stop(): unknown;
}

/** The chunks of a body: a stream of the platform or, as node-fetch has it, of Node. React Native has no streams. */
function chunksOf(body: Partial<ReadableStream<Uint8Array>> | null): Chunks | undefined {
  const reader = body?.getReader?.();
  if (reader !== undefined) return { next: () => reader.read(), stop: () => reader.cancel() };
  const iterator = body?.[Symbol.asyncIterator]?.();
  return iterator && { next: () => iterator.next(), stop: () => iterator.return?.() };
}

/** A header that the caller did not ask for: undefined where `fetch` does not show it, as in SvelteKit. */
export function headerOf(headers: Headers, name: string): string | undefined {
  try {
    return headers.get(name) ?? undefined;
  } catch {
    return undefined;
  }
}
