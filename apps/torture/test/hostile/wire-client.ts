import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds after which a service that neither responds nor closes has failed. */
const TIMEOUT = 10_000;

/** A response as it came from the connection. */
export interface WireResponse {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A client that writes bytes, and reads, leaves or closes its side as a test says. */
export class WireClient {
  readonly closed: Promise<void>;
  private readonly chunks: Buffer[] = [];

  private constructor(readonly socket: Socket) {
    // A reset is one way to be rejected.
    socket.on('error', () => {});
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  static async open(url: string, { reads = true } = {}): Promise<WireClient> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const client = new WireClient(socket);
    if (reads) client.read();
    await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
    return client;
  }

  read(): void {
    this.socket.on('data', (chunk: Buffer) => this.chunks.push(chunk));
    // A service that has said all closes; so does the client.
    this.socket.once('end', () => this.socket.end());
  }

  /** Every response that has come as a whole, but the interim ones. */
  get responses(): WireResponse[] {
    return parseResponses(Buffer.concat(this.chunks));
  }

  /** Resolves once so many responses are there, or the service has closed. */
  async until(count: number): Promise<WireResponse[]> {
    const deadline = performance.now() + TIMEOUT;
    while (this.responses.length < count && !this.socket.closed) {
      if (performance.now() > deadline) throw new Error(`${this.responses.length} of ${count} responses came`);
      await sleep(5);
    }
    return this.responses;
  }

  /** Resolves once the service has closed. */
  async untilClosed(timeout = TIMEOUT): Promise<WireResponse[]> {
    const late = sleep(timeout, 'late', { ref: false });
    if ((await Promise.race([this.closed, late])) === 'late') {
      this.socket.destroy();
      throw new Error(`still open, after ${JSON.stringify(Buffer.concat(this.chunks).toString('latin1'))}`);
    }
    return this.responses;
  }
}

/** Writes bytes to a new connection, and reads until the service closes it. @param halfClose says that no more will come */
export async function converse(
  url: string,
  bytes: Buffer | string,
  { halfClose = true } = {},
): Promise<WireResponse[]> {
  const client = await WireClient.open(url);
  client.socket.write(bytes);
  if (halfClose) client.socket.end();
  return client.untilClosed();
}

export function parseResponses(received: Buffer): WireResponse[] {
  const responses: WireResponse[] = [];
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
    // HEAD, 204 and 304 have none, whatever the length says; what follows then is the next response.
    const length = body.subarray(0, 9).toString() === 'HTTP/1.1 ' ? 0 : Number(headers['content-length'] ?? 0);
    if (body.length < length && body.length > 0) return responses;
    if (status >= 200) responses.push({ status, headers, text: body.subarray(0, length).toString() });
    rest = body.subarray(length);
  }
}
