import { type Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type ReceivedResponse, expectContract } from './contract.js';
import { RawConnection } from './raw-connection.js';

export interface RawRequest {
  method?: string;
  /** The target, sent without any encoding or normalization. */
  target: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
  agent?: Agent;
  signal?: AbortSignal;
}

/** Sends a request, and validates the response against the OpenAPI document. */
export async function send(url: string, request: RawRequest): Promise<ReceivedResponse> {
  const response = await sendUnchecked(url, request);
  expectContract(response);
  return response;
}

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

/** Writes the parts of a request, leaves it open, and validates the first response against the OpenAPI document. */
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

export function head(line: string, ...headers: string[]): string {
  return `${[`${line} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;
}
