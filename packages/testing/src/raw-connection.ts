import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReceivedResponse } from './contract.js';
import { until } from './until.js';

/** Milliseconds that only a service meets that neither responds nor closes. */
const TIMEOUT = 60_000;

/** A response as it came from the connection. */
export type RawResponse = Pick<ReceivedResponse, 'status' | 'headers' | 'text'>;

/** A client that writes bytes, and reads, leaves or closes its side as a test says. */
export class RawConnection {
  /** What broke the connection: a reset is one way to be rejected. */
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
    // A service that has said all closes; so does the client.
    this.socket.once('end', () => this.socket.end());
  }

  get received(): Buffer {
    return Buffer.concat(this.chunks);
  }

  /** Every response that has come as a whole, but the interim ones. */
  get responses(): RawResponse[] {
    return parseResponses(this.received, this.socket.closed);
  }

  /** Resolves once so many responses are there, or the service has closed. */
  async until(count: number): Promise<RawResponse[]> {
    await until(() => this.socket.closed || this.responses.length >= count);
    return this.responses;
  }

  /** Resolves once the service has closed. */
  async untilClosed(): Promise<RawResponse[]> {
    const late = sleep(TIMEOUT, 'late', { ref: false });
    if ((await Promise.race([this.closed, late])) !== 'late') return this.responses;
    this.socket.destroy();
    throw new Error(`still open, after ${JSON.stringify(this.received.toString('latin1'))}`);
  }
}

/** Writes bytes to a new connection, says that no more will come, and reads until the service closes it. */
export async function converse(url: string, bytes: string | Buffer): Promise<RawResponse[]> {
  const connection = await RawConnection.open(url);
  connection.socket.end(bytes);
  return connection.untilClosed();
}

/**
 * Writes bytes to a new connection, and reads until the service closes it, which must not be by a reset.
 *
 * @param options.halfClose says right after the bytes that no more will come
 */
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
    // HEAD, 204 and 304 have none, whatever the length says; what follows then is the next response, or nothing.
    const isNext = body.subarray(0, 9).toString() === 'HTTP/1.1 ' || (isOver && body.length === 0);
    const length = isNext ? 0 : Number(headers['content-length'] ?? 0);
    if (body.length < length) return responses;
    if (status >= 200) responses.push({ status, headers, text: body.subarray(0, length).toString() });
    rest = body.subarray(length);
  }
}
