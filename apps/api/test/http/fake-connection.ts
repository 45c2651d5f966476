import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { Connection } from '../../src/http/connection.js';
import { Problem } from '../../src/http/problem.js';

const { jest } = import.meta;

/** The server's end of a connection, without a network. */
class FakeSocket extends Duplex {
  bytesRead = 0;
  sent = '';
  clientReads = true;
  readonly onIncoming = (): number => 0;
  parser: { onIncoming: () => number } | null = { onIncoming: this.onIncoming };

  override _read(): void {}

  override _write(bytes: Buffer, _: string, done: () => void): void {
    this.sent += bytes.toString();
    if (this.clientReads) done();
  }

  get hasParserStopped(): boolean {
    return this.parser?.onIncoming !== this.onIncoming;
  }
}

/** A response that ends when the test says so. */
export class FakeResponse extends EventEmitter {
  readonly req;
  headersSent = false;
  writableFinished = false;
  statusCode = 200;

  constructor(url: string, complete: boolean) {
    super();
    this.req = { url, complete, method: 'POST', headers: {}, pause: jest.fn() };
  }

  end(): void {
    this.writableFinished = true;
    this.emit('close');
  }
}

/** A connection without a network, and what its owner is notified of. */
export class FakeConnection {
  readonly socket = new FakeSocket();
  readonly begun: string[] = [];
  readonly completed: unknown[][] = [];
  readonly rejected: string[] = [];
  /** That the last request took. */
  seconds: number | undefined;
  readonly connection = new Connection(this.socket as unknown as Socket, {
    begin: ({ req }, isLast) => {
      if (req.url === '/rejected') throw new Problem('expectation-failed');
      this.begun.push(isLast ? `${req.url}, the last` : req.url!);
    },
    completed: ({ req }, status, seconds) => {
      this.completed.push([req.url, status]);
      this.seconds = seconds;
    },
    rejected: ({ type }, _id, response) => void this.rejected.push(`${type} ${response?.req.url}`),
    schedule: (begin) => void this.turns.push(begin),
  });
  private readonly turns: (() => void)[] = [];

  /** A request is read from it. */
  accept(url: string, { complete = true } = {}): FakeResponse {
    const response = new FakeResponse(url, complete);
    this.connection.accept(response as unknown as ServerResponse);
    return response;
  }

  failWith(code: string): void {
    this.connection.fail(Object.assign(new Error(), { code }));
  }

  readMalformed(): void {
    this.failWith('HPE_INVALID_METHOD');
  }

  /** As Node's server does behind the last response. */
  close(): void {
    (this.socket as unknown as Socket).destroySoon();
  }

  nextTurn(): void {
    for (const begin of this.turns.splice(0)) begin();
  }
}
