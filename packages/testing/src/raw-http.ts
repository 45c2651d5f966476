import { type Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { type ReceivedResponse, expectContract } from './contract.js';

export interface RawRequest {
  method?: string;
  /** Goes out as it stands: nothing is encoded, joined or normalised. */
  target: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
  agent?: Agent;
}

/** Sends a request that supertest would normalize; the response is validated against the OpenAPI document. */
export async function send(
  url: string,
  { method = 'GET', target, headers, body, agent }: RawRequest,
): Promise<ReceivedResponse> {
  const { hostname, port } = new URL(url);
  const response = await new Promise<ReceivedResponse>((resolve, reject) => {
    const outgoing = request({ hostname, port, method, path: target, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({
          method,
          target,
          status: response.statusCode!,
          headers: response.headers as ReceivedResponse['headers'],
          text,
        });
      });
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
  expectContract(response);
  return response;
}

/**
 * Writes bytes to a new connection, leaves it open, and reads the first response, which has to have a
 * `Content-Length`. It is validated against the OpenAPI document.
 *
 * @param parts what to write, one after the other: the head of one request and as much of its body as wanted
 */
export async function exchange(url: string, ...parts: (string | Buffer)[]): Promise<ReceivedResponse> {
  const [method, target] = parts[0]!.toString('latin1').split(' ', 2) as [string, string];
  const response = { method, target, ...(await readResponse(url, parts)) };
  expectContract(response);
  return response;
}

type Read = Pick<ReceivedResponse, 'status' | 'headers' | 'text'>;

function readResponse(url: string, parts: (string | Buffer)[]): Promise<Read> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.setTimeout(5_000, () => socket.destroy(new Error('no response within 5 s')));
    socket.once('error', reject);
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const read = parseResponse(received);
      if (read === undefined) return;
      resolve(read);
      socket.destroy();
    });
    socket.once('close', () => reject(new Error(`closed after ${JSON.stringify(received.toString())}`)));
    for (const part of parts) socket.write(part);
  });
}

function parseResponse(received: Buffer): Read | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [statusLine, ...lines] = received.subarray(0, headEnd).toString('latin1').split('\r\n') as [string];
  const headers = Object.fromEntries(
    lines.map((line: string) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  ) as Record<string, string>;
  const body = received.subarray(headEnd + 4);
  if (body.length < Number(headers['content-length'] ?? 0)) return undefined;
  return { status: Number(statusLine.split(' ')[1]), headers, text: body.toString() };
}

/** The head of a request, as it is written. */
export function head(line: string, ...headers: string[]): string {
  return `${[`${line} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;
}
