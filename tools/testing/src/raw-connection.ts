import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReceivedResponse } from './contract.js';
import { until } from './until.js';

/** Maximum milliseconds to wait, reached only if the service does not close the connection. */
const TIMEOUT = 60_000;

type RawResponse = Pick<ReceivedResponse, 'status' | 'headers' | 'text'>;

/** A client whose writes, reads and end are controlled by a test. */
export class RawConnection {
  error: Error | undefined;
  private readonly closed: Promise<void>;
  private readonly chunks: Buffer[] = [];

  private constructor(readonly socket: Socket) {
    socket.on('error', (error) => (this.error = error));
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  static async open(url: string, { reads = true } = {}): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const connection = new RawConnection(socket);
    if (reads) connection.read();
    await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
    return connection;
  }

  read(): void {
    this.socket.on('data', (chunk: Buffer) => this.chunks.push(chunk));
    this.socket.once('end', () => this.socket.end());
  }

  get received(): Buffer {
    return Buffer.concat(this.chunks);
  }

  /** The complete responses so far, without interim ones (1xx). */
  get responses(): RawResponse[] {
    return parseResponses(this.received, this.socket.closed);
  }

  /** Waits for a number of responses, or for the service to close the connection. */
  async until(count: number): Promise<RawResponse[]> {
    await until(() => this.socket.closed || this.responses.length >= count);
    return this.responses;
  }

  /** Waits for the service to close the connection. @throws Error after a minute */
  async untilClosed(): Promise<RawResponse[]> {
    const late = sleep(TIMEOUT, 'late', { ref: false });
    if ((await Promise.race([this.closed, late])) !== 'late') return this.responses;
    this.socket.destroy();
    throw new Error(`still open, after ${JSON.stringify(this.received.toString('latin1'))}`);
  }
}

/** Sends bytes on a new connection, and reads until the service closes it. @throws Error after a reset */
export async function untilClosed(url: string, bytes: string, { halfClose = false } = {}): Promise<string> {
  const connection = await RawConnection.open(url);
  connection.socket.write(bytes);
  if (halfClose) connection.socket.end();
  await connection.untilClosed();
  if (connection.error !== undefined) throw connection.error;
  return connection.received.toString();
}

function parseResponses(received: Buffer, isOver: boolean): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = received;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return responses;
    const [first, ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n') as [string];
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
    if (Number.isNaN(status)) throw new Error(`no response begins with ${JSON.stringify(first)}`);
    const headers = Object.fromEntries(
      lines.map((line: string) => line.split(/: (.*)/s, 2)).map(([name, value]) => [name!.toLowerCase(), value!]),
    );
    const body = rest.subarray(end + 4);
    // A 204, a 304 and a response to HEAD have no body, whatever their `Content-Length`: the next response or the end
    // follows.
    const isNext = body.subarray(0, 9).toString() === 'HTTP/1.1 ' || (isOver && body.length === 0);
    const length = isNext ? 0 : Number(headers['content-length'] ?? 0);
    if (body.length < length) return responses;
    if (status >= 200) responses.push({ status, headers, text: body.subarray(0, length).toString() });
    rest = body.subarray(length);
  }
}
