import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { clientProblem, rawProblem } from './client-error.js';
import { Problem } from './problem.js';
import { pathOf, requestIdOf } from './request-head.js';

/** Milliseconds in which a client may read why it was rejected before its connection is gone. */
const LINGER = 500;

/** Bytes that it may go on sending meanwhile. */
const MAX_LINGERING_BYTES = 1_048_576;

/** Bytes of a body that are read behind its response, for the sake of the next request. */
const MAX_REST_BYTES = 16_777_216;

/** Milliseconds between two looks at what was read so. */
const COUNT_INTERVAL = 50;

/** The server that a connection belongs to. */
export interface ConnectionOwner {
  /** Begins a request. @throws Problem where the connection has to be closed behind the response */
  begin(response: ServerResponse): void;
  /** Called once for each request that was begun. @param seconds since it was */
  completed(response: ServerResponse, status: number | 'aborted', seconds: number): void;
  /** Called for each problem that is written here. @param response undefined where what arrived is no request */
  rejected(problem: Problem, requestId: string, response: ServerResponse | undefined): void;
  /** @returns whether one more request may wait */
  takePlace(): boolean;
  leavePlaces(count: number): void;
  /** Begins requests that waited, one in a turn of the event loop, so that those of other connections come between. */
  inTurn(begin: () => void): void;
}

/**
 * One connection: at most one request is in flight, the next ones of a pipeline wait, and meanwhile nothing more is
 * read. Nothing is begun behind a response that closes it (RFC 9112 §9.6), nor once the client is gone.
 */
export class Connection {
  private current: ServerResponse | undefined;
  private arrival = 0;
  private waiting: ServerResponse[] = [];
  /** The request before, where it has its response and its body was not read to its end. */
  private unread: IncomingMessage | undefined;
  private stopCounting = (): void => {};
  private state: 'open' | 'finishing' | 'closing' = 'open';

  constructor(
    private readonly socket: Socket,
    private readonly owner: ConnectionOwner,
  ) {
    // Node resumes a socket by itself at the end of each request.
    socket.on('resume', () => {
      if (this.isHeld) socket.pause();
    });
    // Node closes with it behind a response that is the last. What is unread by then, or comes later, would take that
    // response and those before it from the client: it is read for a moment (RFC 9112 §9.6).
    socket.destroySoon = () => this.close();
    socket.once('close', () => {
      this.forgetWaiting();
      this.stopCounting();
    });
  }

  accept(response: ServerResponse): void {
    if (this.state !== 'open' || !this.socket.writable) return;
    if (this.current === undefined && this.waiting.length === 0) return this.begin(response);
    if (!this.owner.takePlace()) return void this.socket.destroy();
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
    this.stopCounting();
    this.arrival = performance.now();
    response.once('close', () => this.end(response));
    try {
      this.owner.begin(response);
    } catch (error) {
      if (!(error instanceof Problem)) new Logger('http').error(error);
      const problem = error instanceof Problem ? error : new Problem('internal');
      this.reject(problem, response);
    }
  }

  private end(response: ServerResponse): void {
    this.complete(response, response.writableFinished ? response.statusCode : 'aborted');
    if (!response.req.complete) {
      this.unread = response.req;
      this.discard(MAX_REST_BYTES);
    }
    if (this.waiting.length > 0) this.owner.inTurn(() => this.next());
    else if (this.state === 'finishing') this.close();
  }

  /** Once for each request, whatever comes first. */
  private complete(response: ServerResponse, status: number | 'aborted'): void {
    if (this.current !== response) return;
    this.current = undefined;
    this.owner.completed(response, status, (performance.now() - this.arrival) / 1_000);
  }

  private next(): void {
    // Node has ended the socket behind a response that closes.
    if (this.state === 'closing' || !this.socket.writable) return this.forgetWaiting();
    const response = this.waiting.shift();
    if (response === undefined) return;
    this.owner.leavePlaces(1);
    this.begin(response);
    if (!this.isHeld) this.socket.resume();
  }

  /** Responds with a problem, and closes. To close on a client that still sends would take the response from it. */
  private reject(problem: Problem, response?: ServerResponse, status: number | 'aborted' = problem.status): void {
    if (this.socket.writable && response?.headersSent !== true) {
      const requestId = response === undefined ? randomUUID() : requestIdOf(response);
      this.owner.rejected(problem, requestId, response);
      this.socket.write(
        rawProblem(problem, {
          requestId,
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
    this.discard(MAX_LINGERING_BYTES);
    this.socket.resume();
    setTimeout(() => this.socket.destroy(), LINGER).unref();
  }

  /** Ends the connection of a client that sends more than so many bytes, which nobody wants. */
  private discard(limit: number): void {
    this.stopCounting();
    const end = this.socket.bytesRead + limit;
    const timer = setInterval(() => {
      if (this.socket.bytesRead > end) this.socket.destroy();
    }, COUNT_INTERVAL).unref();
    this.stopCounting = () => clearInterval(timer);
  }

  private forgetWaiting(): void {
    this.owner.leavePlaces(this.waiting.length);
    this.waiting = [];
  }
}
