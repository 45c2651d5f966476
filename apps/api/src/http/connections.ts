import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Logger } from '@nestjs/common';
import { Connection, type ConnectionOwner } from './connection.js';
import type { Problem } from './problem.js';

/**
 * Requests that may wait behind another one of their connection, over all connections; about 1.6 kB each. One client
 * alone never reaches it: the 64 KiB that Node reads at once hold fewer.
 */
const MAX_WAITING = 4_096;

/** What the server does with the requests of its connections. */
export interface RequestHandling {
  /** Begins a request. @throws Problem if the connection has to be closed behind the response */
  begin(request: IncomingMessage, response: ServerResponse): void;
  /** Called once for each request that was begun, when its response is sent or its client is gone. */
  completed(request: IncomingMessage, response: ServerResponse, status: number | 'aborted', seconds: number): void;
  /** Called for each problem that the application did not write. @param response undefined if there was no request */
  rejected(problem: Problem, requestId: string, response: ServerResponse | undefined): void;
}

/** The connections of a server. Each has its requests handled one after the other (RFC 9112 §9.3.2). */
export class Connections implements ConnectionOwner {
  private readonly logger = new Logger('http');
  private readonly bySocket = new WeakMap<Duplex, Connection>();
  private waiting = 0;
  private inFlight = 0;
  private onIdle: (() => void) | undefined;
  private readonly turns: (() => void)[] = [];

  constructor(private readonly handling: RequestHandling) {}

  /** The listener of `request`, `checkContinue` and `checkExpectation`. */
  readonly accept = (request: IncomingMessage, response: ServerResponse): void => {
    this.of(request.socket).accept(response);
  };

  /** The listener of `clientError`: malformed, oversized or timed-out requests. */
  readonly onClientError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    this.of(socket).fail(error);
  };

  /** Requests that were begun and whose response is not sent yet. */
  get requestsInFlight(): number {
    return this.inFlight;
  }

  /** Resolves once no request is in flight. */
  async idle(): Promise<void> {
    if (this.inFlight > 0) await new Promise<void>((resolve) => (this.onIdle = resolve));
  }

  begin(response: ServerResponse): void {
    this.inFlight++;
    this.handling.begin(response.req, response);
  }

  completed(response: ServerResponse, status: number | 'aborted', seconds: number): void {
    this.inFlight--;
    if (this.inFlight === 0) this.onIdle?.();
    try {
      this.handling.completed(response.req, response, status, seconds);
    } catch (error) {
      // Called by an event of Node: an error thrown here would end the process.
      this.logger.error(error);
    }
  }

  rejected(problem: Problem, requestId: string, response: ServerResponse | undefined): void {
    this.handling.rejected(problem, requestId, response);
  }

  tryReserve(): boolean {
    if (this.waiting >= MAX_WAITING) return false;
    this.waiting++;
    return true;
  }

  release(count: number): void {
    this.waiting -= count;
  }

  schedule(begin: () => void): void {
    if (this.turns.push(begin) === 1) setImmediate(this.nextTurn);
  }

  private readonly nextTurn = (): void => {
    const begin = this.turns.shift()!;
    if (this.turns.length > 0) setImmediate(this.nextTurn);
    begin();
  };

  private of(socket: Duplex): Connection {
    let connection = this.bySocket.get(socket);
    if (connection === undefined) this.bySocket.set(socket, (connection = new Connection(socket as Socket, this)));
    return connection;
  }
}
