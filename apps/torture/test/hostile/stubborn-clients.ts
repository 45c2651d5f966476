import { RawConnection, type RawResponse } from 'testing';
import { head } from 'testing/raw-http';

const POST = 'POST /v1/bookings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`;

/** A client that never ends what it sends. */
export interface StubbornClient {
  readonly what: string;
  /** The bytes that it sends first, and those that it repeats. */
  readonly begin: string;
  readonly more: string;
  /** Milliseconds between two times; 0 is as fast as the service takes it. */
  readonly every: number;
  /** The statuses that it may get, and the number of responses. */
  readonly statuses: readonly number[];
  readonly fewest: number;
  readonly most: number;
  readonly clients: number;
}

const slow = { every: 100, statuses: [408], fewest: 1, most: 1, clients: 50 };
/** The reset that ends a flood may discard its response. A busy machine may stop in the middle of a head: 408. */
const flood = { every: 0, fewest: 0, most: 1, clients: 4 };

export const stubbornClients: StubbornClient[] = [
  { ...slow, what: 'slow headers', begin: `${POST}X-Slow: `, more: 'x' },
  { ...slow, what: 'slow bodies', begin: `${POST}Content-Length: 60000\r\n\r\n{"a":"`, more: 'x' },
  { ...slow, what: 'slow chunks', begin: CHUNKED, more: '1\r\n \r\n' },
  { ...slow, what: 'silence', begin: '', more: '' },
  { ...flood, what: 'headers', begin: POST, more: 'X-Flood: x\r\n'.repeat(2_000), statuses: [431, 408] },
  { ...flood, what: 'chunks', begin: CHUNKED, more: '1\r\nx\r\n'.repeat(5_000), statuses: [413, 408] },
  { ...flood, what: 'a body', begin: `${CHUNKED}fffffff\r\n`, more: 'x'.repeat(65_536), statuses: [413, 408] },
  // Two responses: of the request in flight, and of the one that waits.
  { ...flood, what: 'requests', begin: '', more: head('GET /v1/a').repeat(1_000), statuses: [404, 408], most: 2 },
  { ...flood, what: 'no hosts', begin: '', more: 'GET / HTTP/1.1\r\n\r\n'.repeat(1_000), statuses: [400, 408] },
];

/** Sends what the client sends until the service closes the connection. */
export async function insist(url: string, { begin, more, every }: StubbornClient): Promise<RawResponse[]> {
  const connection = await RawConnection.open(url);
  const { socket } = connection;
  socket.write(begin);
  const flood = (): void => {
    while (socket.writable && socket.write(more));
  };
  const timer = setInterval(() => socket.write(more), every || 60_000);
  if (every === 0) socket.on('drain', flood);
  if (every === 0) flood();
  const responses = await connection.untilClosed();
  clearInterval(timer);
  return responses;
}
