import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Logger } from '@nestjs/common';
import { Problem } from './problem.js';
import { clientProblem, rawProblem } from './client-error.js';
import { requestIdOf } from './request-headers.js';
import { pathOf } from './target.js';

/**
 * Requests that wait behind another one of their connection, over all connections; about 1.6 kB each. It is more
 * than the 64 KiB that Node reads at once can hold, so that one client alone never meets it.
 */
const MAX_WAITING = 4_096;

/** Milliseconds in which a client may read why it was rejected before its connection is gone. */
const LINGER = 500;

/** Bytes that it may go on sending meanwhile. */
const MAX_DISCARDED = 1_048_576;

/** What the server does with the requests of its connections. */
export interface RequestHandling {
  /** Begins a request. @throws Problem where the connection has to be closed behind the response */
  begin(request: IncomingMessage, response: ServerResponse): void;
  /** Called once for each request that was begun, when its response is sent or its client is gone. */
  completed(request: IncomingMessage, response: ServerResponse, status: number | 'aborted', seconds: number): void;
}

/** The connections of a server. Each has its requests handled one after the other (RFC 9112 §9.3.2). */
export class Connections {
  private readonly bySocket = new WeakMap<Duplex, Connection>();
  private waiting = 0;
  private inFlight = 0;
  private onIdle: (() => void) | undefined;

  constructor(private readonly handling: RequestHandling) {}

  /** Listens to `request` and its like. */
  readonly accept = (request: IncomingMessage, response: ServerResponse): void => {
    this.of(request.socket).accept(response);
  };

  /** Listens to `clientError`: malformed, oversized or timed-out requests. */
  readonly onClientError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    this.of(socket).fail(error);
  };

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
    this.handling.completed(response.req, response, status, seconds);
  }

  /** @returns whether one more request may wait */
  takePlace(): boolean {
    if (this.waiting >= MAX_WAITING) return false;
    this.waiting++;
    return true;
  }

  leavePlaces(count: number): void {
    this.waiting -= count;
  }

  private of(socket: Duplex): Connection {
    let connection = this.bySocket.get(socket);
    if (connection === undefined) this.bySocket.set(socket, (connection = new Connection(socket, this)));
    return connection;
  }
}

/**
 * One connection: at most one request is in flight, the next ones of a pipeline wait, and meanwhile nothing more is
 * read. Nothing is begun behind a response that closes it (RFC 9112 §9.6), nor once the client is gone.
 */
class Connection {
  private current: ServerResponse | undefined;
  private arrival = 0;
  private waiting: ServerResponse[] = [];
  /** The request before has its response, and its body has not been read to its end. */
  private unread: IncomingMessage | undefined;
  private state: 'open' | 'finishing' | 'closing' = 'open';

  constructor(
    private readonly socket: Duplex,
    private readonly connections: Connections,
  ) {
    // Node resumes a socket by itself at the end of each request.
    socket.on('resume', () => {
      if (this.isHeld) socket.pause();
    });
    socket.once('close', () => this.forgetWaiting());
  }

  accept(response: ServerResponse): void {
    if (this.state !== 'open' || !this.socket.writable) return;
    if (this.current === undefined && this.waiting.length === 0) return this.begin(response);
    if (!this.connections.takePlace()) return void this.socket.destroy();
    this.waiting.push(response);
    if (this.waiting.length === 1) this.hold();
  }

  /** What was read is no request: too slow, too large, or not HTTP. */
  fail(error: NodeJS.ErrnoException): void {
    const { current, socket } = this;
    // Whatever a rejected client goes on sending comes through here again.
    if (this.state !== 'open') return;
    const isGone = !socket.writable || error.code === 'ECONNRESET';
    if (isGone || this.unread?.complete === false) return void socket.destroy();
    if (current === undefined && this.waiting.length === 0) return this.reject(clientProblem(error));
    if (current === undefined || current.req.complete || current.headersSent) {
      // The fault is behind whole requests, which get their own responses; then the connection is closed.
      this.state = 'finishing';
      return this.hold();
    }
    // Its handler never sees the rest of the body, even if that comes while the client reads the response.
    current.req.pause();
    const hasLeft = error.code === 'HPE_INVALID_EOF_STATE';
    this.reject(clientProblem(error), current, hasLeft ? 'aborted' : undefined);
  }

  /**
   * Stops reading for as long as nothing more may come. Not at once: Node may have resumed the socket in this very
   * step, and its `resume` event would start to read again, behind a pause that it does not see.
   */
  private hold(): void {
    setImmediate(() => {
      if (this.isHeld) this.socket.pause();
    });
  }

  private get isHeld(): boolean {
    return this.state === 'finishing' || (this.state === 'open' && this.waiting.length > 0);
  }

  private begin(response: ServerResponse): void {
    this.current = response;
    this.unread = undefined;
    this.arrival = performance.now();
    response.once('close', () => this.end(response));
    try {
      this.connections.begin(response);
    } catch (error) {
      if (!(error instanceof Problem)) new Logger('http').error(error);
      const problem = error instanceof Problem ? error : new Problem('internal', 'The service failed.');
      this.reject(problem, response);
    }
  }

  private end(response: ServerResponse): void {
    this.complete(response, response.writableFinished ? response.statusCode : 'aborted');
    if (!response.req.complete) this.unread = response.req;
    // Not at once: the requests of one packet must not keep all other connections waiting.
    if (this.waiting.length > 0) setImmediate(() => this.next());
    else if (this.state === 'finishing') this.close();
  }

  /** Once for each request, whatever comes first. */
  private complete(response: ServerResponse, status: number | 'aborted'): void {
    if (this.current !== response) return;
    this.current = undefined;
    this.connections.completed(response, status, (performance.now() - this.arrival) / 1_000);
  }

  private next(): void {
    // Node has ended the socket behind a response that closes.
    if (this.state === 'closing' || !this.socket.writable) return this.forgetWaiting();
    const response = this.waiting.shift();
    if (response === undefined) return;
    this.connections.leavePlaces(1);
    this.begin(response);
    if (!this.isHeld) this.socket.resume();
  }

  /** Responds with a problem, and closes. To close on a client that still sends would take the response from it. */
  private reject(problem: Problem, response?: ServerResponse, status: number | 'aborted' = problem.status): void {
    if (this.socket.writable && response?.headersSent !== true) {
      this.socket.write(
        rawProblem(problem, {
          requestId: response === undefined ? randomUUID() : requestIdOf(response),
          instance: response === undefined ? '' : pathOf(response.req),
          isHead: response?.req.method === 'HEAD',
        }),
      );
      if (response !== undefined) this.complete(response, status);
    }
    this.close();
  }

  private close(): void {
    this.state = 'closing';
    this.forgetWaiting();
    this.socket.end();
    let discarded = 0;
    this.socket.on('data', (piece: Buffer) => {
      discarded += piece.length;
      if (discarded > MAX_DISCARDED) this.socket.destroy();
    });
    this.socket.resume();
    setTimeout(() => this.socket.destroy(), LINGER).unref();
  }

  private forgetWaiting(): void {
    this.connections.leavePlaces(this.waiting.length);
    this.waiting = [];
  }
}
