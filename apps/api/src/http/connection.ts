import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { clientProblem, rawProblem } from './client-error.js';
import { Problem } from './problem.js';
import { pathOf, requestIdOf } from './request-head.js';
import { isBrokenOff, keepPaused, onServerClose, stopParsing } from './undocumented.js';

/** Requests of a pipeline that wait; about 1.6 kB each. Behind more, the connection is closed (RFC 9112 §9.3.2). */
const MAX_WAITING = 16;

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
  /**
   * Begins a request.
   *
   * @param isLast whether the connection is closed behind its response
   * @throws Problem if the connection has to be closed behind the response
   */
  begin(response: ServerResponse, isLast: boolean): void;
  /** Called once for each request that was begun. @param seconds since then */
  completed(response: ServerResponse, status: number | 'aborted', seconds: number): void;
  /** Called for each problem that is written here. @param response undefined if no request was begun */
  rejected(problem: Problem, requestId: string, response: ServerResponse | undefined): void;
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
  /** What was read behind the requests in `waiting` and is rejected in its turn; a response if it had a whole head. */
  private fault: { readonly problem: Problem; readonly response: ServerResponse | undefined } | undefined;
  /** The previous request, if it has its response and its body was not read to the end. */
  private unread: IncomingMessage | undefined;
  private stopCounting = (): void => {};
  /** `finishing` handles what has arrived and takes nothing more; `closing` waits for the client to read and leave. */
  private state: 'open' | 'finishing' | 'closing' = 'open';
  /** When the last request ended or the state changed, by `performance.now()`. */
  private since = performance.now();

  constructor(
    private readonly socket: Socket,
    private readonly owner: ConnectionOwner,
  ) {
    keepPaused(socket, () => this.isHeld);
    // What is unread behind the last response, or comes later, would take that response and those before it from the
    // client: it is read for a moment (RFC 9112 §9.6).
    onServerClose(socket, () => this.close());
    socket.once('close', () => this.stopCounting());
  }

  accept(response: ServerResponse): void {
    if (!this.isOpen) return;
    if (this.current === undefined && this.waiting.length === 0) return this.begin(response);
    if (this.waiting.length === MAX_WAITING) return this.finish();
    this.waiting.push(response);
    if (this.waiting.length === 1) this.hold();
  }

  /** What was read is not a request: too slow, too large, or not HTTP. */
  fail(error: NodeJS.ErrnoException): void {
    // A rejected client that keeps sending gets here again, and so does one that resets the connection.
    if (this.isOpen) this.refuse(clientProblem(error), isBrokenOff(error));
  }

  /** What was read is a CONNECT. Node has removed its listeners, which the responses before it need. */
  failConnect(): void {
    const { socket } = this;
    socket.on('error', () => {}).on('timeout', () => socket.destroy());
    socket.on('drain', () => this.current?.emit('drain'));
    if (this.isOpen) this.refuse(new Problem('invalid-request', 'CONNECT is not supported.'));
  }

  private get isOpen(): boolean {
    return this.state === 'open' && this.socket.writable;
  }

  private refuse(problem: Problem, isCurrentAborted = false): void {
    const { current } = this;
    if (current !== undefined && !current.req.complete && !current.headersSent) {
      // The handler never sees the rest of the body, even if it arrives while the client reads the response.
      current.req.pause();
      return this.reject(problem, current, isCurrentAborted ? 'aborted' : undefined);
    }
    if (current === undefined && this.waiting.length === 0) {
      return this.unread?.complete === false ? this.close() : this.reject(problem);
    }
    // The complete requests before the fault get their responses first.
    if (current?.req.complete !== false) this.fault = { problem, response: this.popIncomplete() };
    this.finish();
  }

  /** The request that is broken, if its head has arrived. */
  private popIncomplete(): ServerResponse | undefined {
    return this.waiting.at(-1)?.req.complete === false ? this.waiting.pop() : undefined;
  }

  /** Nothing is in flight, and all that was sent has left the process. */
  private get isIdle(): boolean {
    return this.current === undefined && this.waiting.length === 0 && this.socket.writableLength === 0;
  }

  /** Ends an idle connection on which nothing has happened for so many milliseconds. */
  endIdle(age: number): void {
    if (this.isIdle && performance.now() - this.since > age) this.socket.destroy();
  }

  /** Ends a connection whose last requests take longer than so many milliseconds; slow readers are bounded elsewhere. */
  endUnfinished(age: number): void {
    const isSending = this.socket.writableLength > 0;
    if (this.state === 'finishing' && !isSending && performance.now() - this.since > age) this.socket.destroy();
  }

  private finish(): void {
    this.state = 'finishing';
    this.since = performance.now();
    stopParsing(this.socket);
    this.hold();
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
    this.stopCounting();
    this.arrival = performance.now();
    response.once('close', () => this.end(response));
    try {
      const isLast = this.state === 'finishing' && this.waiting.length === 0 && this.fault === undefined;
      this.owner.begin(response, isLast);
    } catch (error) {
      if (!(error instanceof Problem)) new Logger('http').error(error);
      const problem = error instanceof Problem ? error : new Problem('internal');
      this.reject(problem, response);
    }
  }

  private end(response: ServerResponse): void {
    this.complete(response, response.writableFinished ? response.statusCode : 'aborted');
    this.since = performance.now();
    if (!response.req.complete) {
      this.unread = response.req;
      this.discard(MAX_REST_BYTES);
    }
    if (this.waiting.length > 0) this.owner.schedule(() => this.next());
    else if (this.state === 'finishing') this.endFinished();
  }

  /** Takes effect once for each request, whatever ends it first. */
  private complete(response: ServerResponse, status: number | 'aborted'): void {
    if (this.current !== response) return;
    this.current = undefined;
    this.owner.completed(response, status, (performance.now() - this.arrival) / 1_000);
  }

  private next(): void {
    if (!this.socket.writable) return;
    const response = this.waiting.shift();
    if (response !== undefined) this.begin(response);
    else if (this.state === 'finishing') this.endFinished();
    if (!this.isHeld) this.socket.resume();
  }

  private endFinished(): void {
    if (this.fault === undefined) this.close();
    else this.reject(this.fault.problem, this.fault.response);
  }

  /** Responds with a problem, and closes. Closing at once would take the response from a client that still sends. */
  private reject(problem: Problem, response?: ServerResponse, status: number | 'aborted' = problem.status): void {
    if (this.socket.writable && response?.headersSent !== true) {
      const requestId = response === undefined ? randomUUID() : requestIdOf(response);
      this.owner.rejected(problem, requestId, response === this.current ? response : undefined);
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
    this.since = performance.now();
    stopParsing(this.socket);
    this.socket.end();
    this.discard(MAX_LINGERING_BYTES);
    this.socket.resume();
    setTimeout(() => this.socket.destroy(), LINGER).unref();
  }

  /** Reads and discards, and destroys the connection of a client that sends more than `limit` bytes. */
  private discard(limit: number): void {
    this.stopCounting();
    // Node emits `close` of a response after that of its socket.
    if (this.socket.destroyed) return;
    const end = this.socket.bytesRead + limit;
    const timer = setInterval(() => {
      if (this.socket.bytesRead > end) this.socket.destroy();
    }, COUNT_INTERVAL);
    this.stopCounting = () => clearInterval(timer);
  }
}
