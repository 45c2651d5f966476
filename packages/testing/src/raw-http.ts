import { type Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type ReceivedResponse, expectContract } from './contract.js';
import { RawConnection } from './raw-connection.js';

export interface RawRequest {
  method?: string;
  /** Goes out as it stands: nothing is encoded, joined or normalised. */
  target: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
  agent?: Agent;
  signal?: AbortSignal;
}

/** Sends a request that supertest would normalize; the response is validated against the OpenAPI document. */
export async function send(url: string, request: RawRequest): Promise<ReceivedResponse> {
  const response = await sendUnchecked(url, request);
  expectContract(response);
  return response;
}

/** The same, where the response is judged later, or by other means. */
export function sendUnchecked(
  url: string,
  { method = 'GET', target, body, ...options }: RawRequest,
): Promise<ReceivedResponse> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, method, path: target, ...options }, (response) => {
      const status = response.statusCode!;
      const headers = response.headers as ReceivedResponse['headers'];
      text(response).then((text) => resolve({ method, target, status, headers, text }), reject);
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

/**
 * Writes bytes to a new connection, leaves it open, and reads the first response, which has to have a
 * `Content-Length`. It is validated against the OpenAPI document.
 *
 * @param parts what to write, one after the other: the head of one request and as much of its body as wanted
 */
export async function exchange(url: string, ...parts: (string | Buffer)[]): Promise<ReceivedResponse> {
  const [method, target] = parts[0]!.toString('latin1').split(' ', 2) as [string, string];
  const connection = await RawConnection.open(url);
  for (const part of parts) connection.socket.write(part);
  const [first] = await connection.until(1);
  connection.socket.destroy();
  if (first === undefined) throw new Error(`closed after ${JSON.stringify(connection.received.toString())}`);
  const response = { method, target, ...first };
  expectContract(response);
  return response;
}

/** The head of a request, as it is written. */
export function head(line: string, ...headers: string[]): string {
  return `${[`${line} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;
}
