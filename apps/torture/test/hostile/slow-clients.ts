import { connect } from 'node:net';
import { parseResponses, type WireResponse } from './wire-client.js';

/** Milliseconds between two pieces of a client that is slow. */
const DRIBBLE = 100;

const POST = 'POST /v1/bookings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

interface StubbornClient {
  /** What it sends first. */
  readonly begin: string;
  /** What it sends again and again, without an end. */
  readonly more: string;
  /** Milliseconds between two times; as fast as the service takes it where it is 0. */
  readonly every: number;
  /** The statuses that it may get. */
  readonly statuses: readonly number[];
  readonly clients: number;
}

/** Clients that never end their request, by what they do. */
export const stubbornClients: Record<string, StubbornClient> = {
  'slow headers': { begin: `${POST}X-Slow: `, more: 'x', every: DRIBBLE, statuses: [408], clients: 50 },
  'slow bodies': {
    begin: `${POST}Content-Length: 60000\r\n\r\n{"a":"`,
    more: 'x',
    every: DRIBBLE,
    statuses: [408],
    clients: 50,
  },
  'slow chunks': {
    begin: `${POST}Transfer-Encoding: chunked\r\n\r\n`,
    more: '1\r\n \r\n',
    every: DRIBBLE,
    statuses: [408],
    clients: 50,
  },
  silence: { begin: '', more: '', every: 10_000, statuses: [408], clients: 50 },
  'a flood of headers': { begin: POST, more: 'X-Flood: x\r\n'.repeat(2_000), every: 0, statuses: [431], clients: 4 },
  'a flood of chunks': {
    begin: `${POST}Transfer-Encoding: chunked\r\n\r\n`,
    more: '1\r\nx\r\n'.repeat(5_000),
    every: 0,
    statuses: [413, 408],
    clients: 4,
  },
  'a body without end': {
    begin: `${POST}Transfer-Encoding: chunked\r\n\r\nfffffff\r\n`,
    more: 'x'.repeat(65_536),
    every: 0,
    statuses: [413, 408],
    clients: 4,
  },
};

export interface Ending {
  /** Milliseconds until the service closed the connection. */
  readonly after: number;
  readonly responses: readonly WireResponse[];
}

/** Sends what the client sends until the service closes the connection. */
export function insist(url: string, { begin, more, every }: StubbornClient): Promise<Ending> {
  const { hostname, port } = new URL(url);
  const start = performance.now();
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    const timer = setInterval(() => socket.write(more), every || 10_000);
    if (every === 0) {
      const flood = (): void => {
        while (socket.writable && socket.write(more));
      };
      socket.on('drain', flood);
      socket.once('connect', flood);
    }
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.once('close', () => {
      clearInterval(timer);
      resolve({ after: performance.now() - start, responses: parseResponses(Buffer.concat(chunks)) });
    });
    socket.write(begin);
  });
}
