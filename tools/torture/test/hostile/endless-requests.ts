import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { RawConnection, type RawResponse } from 'testing';
import { head } from 'testing/raw-http';

const POST = 'POST /v1/bookings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`;

export type Endless = readonly [begin: string, more: string];

/** Requests that send a few bytes at a time. */
export const slowRequests: Endless[] = [
  [`${POST}X-Slow: `, 'x'],
  [`${POST}Content-Length: 60000\r\n\r\n{"a":"`, 'x'],
  [CHUNKED, '1\r\n \r\n'],
  ['', ''],
];

/** Requests that send as fast as the service reads. */
export const floods: Endless[] = [
  [POST, 'X-Flood: x\r\n'.repeat(2_000)],
  [CHUNKED, '1\r\nx\r\n'.repeat(5_000)],
  [`${CHUNKED}fffffff\r\n`, 'x'.repeat(65_536)],
  ['', head('GET /v1/a').repeat(1_000)],
  ['', 'GET / HTTP/1.1\r\n\r\n'.repeat(1_000)],
];

/** Sends a request until the service closes the connection. @param pause milliseconds between two parts */
export async function sendEndlessly(url: string, [begin, more]: Endless, pause: number): Promise<RawResponse[]> {
  async function* bytes(): AsyncGenerator<string> {
    yield begin;
    for (; ; await sleep(pause)) yield more;
  }
  const connection = await RawConnection.open(url);
  Readable.from(bytes()).pipe(connection.socket);
  return connection.untilClosed();
}
