import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Logger } from '@nestjs/common';
import { Connection, type ConnectionOwner } from './connection.js';
import type { Problem } from './problem.js';

/** What the server does with the requests of its connections. */
export interface RequestHandling {
  /**
   * Begins a request.
   *
   * @param isLast whether the connection is closed behind its response
   * @throws Problem if the connection has to be closed behind the response
   */
  begin(request: IncomingMessage, response: ServerResponse, isLast: boolean): void;
  /** Called once for each request that was begun, when its response is sent or its client is gone. */
  completed(request: IncomingMessage, response: ServerResponse, status: number | 'aborted', seconds: number): void;
  /** Called for each problem that the application did not write. @param response undefined if there was no request */
  rejected(problem: Problem, requestId: string, response: ServerResponse | undefined): void;
}

/** The connections of a server. Each has its requests handled one after the other (RFC 9112 §9.3.2). */
export class Connections implements ConnectionOwner {
  private readonly logger = new Logger('http');
  /** Every connection that is open, by the server's end of it. */
  private readonly bySocket = new Map<Duplex, Connection>();
  private inFlight = 0;
  private onIdle: (() => void) | undefined;
  private readonly turns: (() => void)[] = [];

  constructor(private readonly handling: RequestHandling) {}

  /** The listener of `connection`. */
  readonly open = (socket: Socket): void => {
    this.bySocket.set(socket, new Connection(socket, this));
    socket.once('close', () => this.bySocket.delete(socket));
  };

  /** The listener of `request`, `checkContinue` and `checkExpectation`. */
  readonly accept = (request: IncomingMessage, response: ServerResponse): void => {
    this.bySocket.get(request.socket)!.accept(response);
  };

  /** The listener of `clientError`: malformed, oversized or timed-out requests. */
  readonly onClientError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    this.bySocket.get(socket)?.fail(error);
  };

  /** The listener of `connect`: this server is no proxy. */
  readonly onConnect = (_: IncomingMessage, socket: Duplex): void => {
    this.bySocket.get(socket)?.failConnect();
  };

  endIdle(age: number): void {
    for (const connection of this.bySocket.values()) connection.endIdle(age);
  }

  endUnfinished(age: number): void {
    for (const connection of this.bySocket.values()) connection.endUnfinished(age);
  }

  /** Ends every connection, whatever it is doing. */
  destroy(): void {
    for (const socket of this.bySocket.keys()) socket.destroy();
  }

  /** Requests that were begun and whose response is not sent yet. */
  get requestsInFlight(): number {
    return this.inFlight;
  }

  /** Resolves once no request is in flight. */
  async idle(): Promise<void> {
    if (this.inFlight > 0) await new Promise<void>((resolve) => (this.onIdle = resolve));
  }

  begin(response: ServerResponse, isLast: boolean): void {
    this.inFlight++;
    this.handling.begin(response.req, response, isLast);
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

  schedule(begin: () => void): void {
    if (this.turns.push(begin) === 1) setImmediate(this.nextTurn);
  }

  private readonly nextTurn = (): void => {
    const begin = this.turns.shift()!;
    if (this.turns.length > 0) setImmediate(this.nextTurn);
    begin();
  };
}
