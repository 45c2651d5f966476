import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { clientProblem, rawProblem } from './client-error.js';
import { Problem } from './problem.js';
import { pathOf, requestIdOf } from './request-head.js';
import { isBrokenOff, keepPaused, onServerClose } from './undocumented.js';

/** Milliseconds in which a client may read why it was rejected before its connection is gone. */
const LINGER = 500;

/** Bytes that it may send meanwhile. */
const MAX_LINGERING_BYTES = 1_048_576;

/** Bytes of a body that are read and discarded behind its response, to reach the next request. */
const MAX_REST_BYTES = 16_777_216;

/** Milliseconds between two checks of these bytes. */
const COUNT_INTERVAL = 50;

/** The server that a connection belongs to. */
export interface ConnectionOwner {
  /** Begins a request. @throws Problem if the connection has to be closed behind the response */
  begin(response: ServerResponse): void;
  /** Called once for each request that was begun. @param seconds since then */
  completed(response: ServerResponse, status: number | 'aborted', seconds: number): void;
  /** Called for each problem that is written here. @param response undefined if what arrived is not a request */
  rejected(problem: Problem, requestId: string, response: ServerResponse | undefined): void;
  /** Reserves a place in the queue for a request. @returns false if the queue is full */
  tryReserve(): boolean;
  release(count: number): void;
  /** Calls back in a turn of the event loop that no other waiting request has, so that connections alternate. */
  schedule(begin: () => void): void;
}

/**
 * One connection: at most one request is in flight; further ones of a pipeline wait, and nothing more is read
 * meanwhile. No request is begun behind a response that closes the connection (RFC 9112 §9.6), nor once the client is
 * gone.
 */
export class Connection {
  private current: ServerResponse | undefined;
  private arrival = 0;
  private waiting: ServerResponse[] = [];
  /** The previous request, if it has its response and its body was not read to the end. */
  private unread: IncomingMessage | undefined;
  private stopCounting = (): void => {};
  private state: 'open' | 'finishing' | 'closing' = 'open';

  constructor(
    private readonly socket: Socket,
    private readonly owner: ConnectionOwner,
  ) {
    keepPaused(socket, () => this.isHeld);
    // What is unread behind the last response, or comes later, would take that response and those before it from the
    // client: it is read for a moment (RFC 9112 §9.6).
    onServerClose(socket, () => this.close());
    socket.once('close', () => {
      this.dropWaiting();
      this.stopCounting();
    });
  }

  accept(response: ServerResponse): void {
    if (this.state !== 'open' || !this.socket.writable) return;
    if (this.current === undefined && this.waiting.length === 0) return this.begin(response);
    if (!this.owner.tryReserve()) return void this.socket.destroy();
    this.waiting.push(response);
    if (this.waiting.length === 1) this.hold();
  }

  /** What was read is not a request: too slow, too large, or not HTTP. */
  fail(error: NodeJS.ErrnoException): void {
    const { current, socket } = this;
    // A rejected client that keeps sending gets here again.
    if (this.state !== 'open') return;
    const isGone = !socket.writable || error.code === 'ECONNRESET';
    if (isGone || this.unread?.complete === false) return void socket.destroy();
    if (current === undefined && this.waiting.length === 0) return this.reject(clientProblem(error));
    if (current === undefined || current.req.complete || current.headersSent) {
      // The complete requests before the fault get their responses; then the connection is closed.
      this.state = 'finishing';
      return this.hold();
    }
    // The handler never sees the rest of the body, even if it arrives while the client reads the response.
    current.req.pause();
    this.reject(clientProblem(error), current, isBrokenOff(error) ? 'aborted' : undefined);
  }

  /**
   * Stops reading. Not synchronously: Node may have resumed the socket in this very step, and the pending `resume`
   * event would start to read again in spite of the pause.
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
    if (this.waiting.length > 0) this.owner.schedule(() => this.next());
    else if (this.state === 'finishing') this.close();
  }

  /** Takes effect once for each request, whatever ends it first. */
  private complete(response: ServerResponse, status: number | 'aborted'): void {
    if (this.current !== response) return;
    this.current = undefined;
    this.owner.completed(response, status, (performance.now() - this.arrival) / 1_000);
  }

  private next(): void {
    // Node has ended the socket behind the last response.
    if (this.state === 'closing' || !this.socket.writable) return this.dropWaiting();
    const response = this.waiting.shift();
    if (response === undefined) return;
    this.owner.release(1);
    this.begin(response);
    if (!this.isHeld) this.socket.resume();
  }

  /** Responds with a problem, and closes. Closing at once would take the response from a client that still sends. */
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
    this.dropWaiting();
    this.socket.end();
    this.discard(MAX_LINGERING_BYTES);
    this.socket.resume();
    setTimeout(() => this.socket.destroy(), LINGER).unref();
  }

  /** Reads and discards, and destroys the connection of a client that sends more than `limit` bytes. */
  private discard(limit: number): void {
    this.stopCounting();
    const end = this.socket.bytesRead + limit;
    const timer = setInterval(() => {
      if (this.socket.bytesRead > end) this.socket.destroy();
    }, COUNT_INTERVAL).unref();
    this.stopCounting = () => clearInterval(timer);
  }

  private dropWaiting(): void {
    this.owner.release(this.waiting.length);
    this.waiting = [];
  }
}
