import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Outcome } from '../../src/features/events/webhook-sender.js';

/** Treats a connection as a receiver does that is broken, or no receiver at all. */
type Oddity = (socket: Socket) => void;

/** Responds to the first bytes of a request, and leaves the connection open. */
const say =
  (...lines: string[]): Oddity =>
  (socket) =>
    void socket.once('data', () => socket.write(lines.join('\r\n')));

/** Sends a text again and again after a beginning. */
const repeat =
  (beginning: string, text: string): Oddity =>
  (socket) =>
    void socket.once('data', () => {
      socket.write(beginning);
      const timer = setInterval(() => socket.write(text), 5);
      socket.once('close', () => clearInterval(timer));
    });

/** Oddities by the outcome of an attempt: for each outcome, what reaches it by another path of Node's client. */
const ODDITIES = {
  retry: {
    'switches protocols': say('HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: websocket', '', ''),
    'switches to no protocol': say('HTTP/1.1 101 Switching Protocols', '', ''),
    'redirects to itself': say('HTTP/1.1 307 Temporary Redirect', 'Location: /', 'Content-Length: 0', '', ''),
  },
  timeout: {
    'hints for ever': repeat('', 'HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n'),
    'is silent': () => {},
    'reads nothing': (socket) => void socket.pause(),
  },
  unreachable: {
    'has two lengths': say('HTTP/1.1 204 No Content', 'Content-Length: 1', 'Content-Length: 2', '', ''),
    'speaks TLS': say('\x15\x03\x01\0\x02\x02\x28'),
    'never ends the head': repeat('HTTP/1.1 204 No Content\r\n', 'Server: odd\r\n'.repeat(1_000)),
    'resets at once': (socket) => void socket.resetAndDestroy(),
    'closes half of the connection': (socket) => void socket.end(),
  },
  // Heads that acknowledge, whatever follows them.
  delivered: {
    'hints, then accepts': say('HTTP/1.1 103 Early Hints', '', 'HTTP/1.1 204 No Content', '', ''),
    'has wrong chunks': say('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', '', 'odd', 'chunk', '0', '', ''),
    'never ends the body': repeat('HTTP/1.1 202 Accepted\r\n\r\n', 'o'.repeat(10_000)),
  },
} satisfies Partial<Record<Outcome, Record<string, Oddity>>>;

/** A receiver that is odd until it is well. */
export class OddReceiver {
  isWell = false;
  /** Connections while it is odd. */
  attempts = 0;
  /** The `webhook-id` of each event that a well receiver has acknowledged. */
  readonly acknowledged = new Set<string>();
  private readonly sockets = new Set<Socket>();
  private readonly well = createHttpServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(204, { Connection: 'close' }).end();
      this.acknowledged.add(request.headers['webhook-id'] as string);
    });
  });
  private readonly server = createServer({ allowHalfOpen: true }, (socket) => this.accept(socket));

  private constructor(
    readonly name: string,
    /** Of an attempt while it is odd. */
    readonly outcome: string,
    private readonly oddity: Oddity,
  ) {}

  /** Starts a receiver for each oddity. */
  static startAll(): Promise<OddReceiver[]> {
    const receivers = Object.entries(ODDITIES).flatMap(([outcome, oddities]) =>
      Object.entries<Oddity>(oddities).map(([name, oddity]) => new OddReceiver(name, outcome, oddity)),
    );
    return Promise.all(receivers.map((receiver) => receiver.start()));
  }

  /** Its name as that of an endpoint. */
  get endpoint(): { name: string; url: string } {
    const { port } = this.server.address() as AddressInfo;
    return { name: this.name.replaceAll(/[^\w.]/g, '-'), url: `http://127.0.0.1:${port}/` };
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private async start(): Promise<this> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return this;
  }

  private accept(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => {}).once('close', () => this.sockets.delete(socket));
    if (this.isWell) {
      this.well.emit('connection', socket);
      return;
    }
    this.attempts++;
    this.oddity(socket);
  }
}
