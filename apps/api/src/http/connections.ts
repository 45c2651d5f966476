import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Request, Response } from 'express';
import { clientProblem, rawProblem } from './client-error.js';
import type { Problem } from './problem.js';
import { requestIdOf } from './request-head.js';

/** Requests of a pipeline that wait, at most; after more, the connection is closed (RFC 9112 §9.3.2). */
const MAX_WAITING = 16;

/** Milliseconds in which a client may read the last response before its connection is gone (RFC 9112 §9.6). */
const LINGER = 500;

export interface RequestObserver {
  /**
   * Called for every request once its response is sent, or the client is gone.
   *
   * @param seconds from the beginning of the request
   * @param status `aborted` where the client was gone before its response was sent
   */
  completed(request: Request, response: Response, seconds: number, status: number | 'aborted'): void;
  /**
   * Called for every problem that the application does not write, before it is written.
   *
   * @param response undefined if what arrived was not a request
   */
  rejected(problem: Problem, requestId: string, response: Response | undefined): void;
}

interface Connection {
  /** Of the last request that was begun. */
  response?: ServerResponse;
  /** Until that response is sent and no other request waits. */
  isBusy: boolean;
  readonly waiting: ServerResponse[];
  /** No further request is taken, since a response closes the connection (RFC 9112 §9.6). */
  isLast: boolean;
  /** What was written in place of the response. */
  rejectedWith?: Problem;
  /** When it was opened, or its last response was sent, by `performance.now()`. */
  since: number;
}

/** The connections of a server. Each has its requests handled one after the other (RFC 9112 §9.3.2). */
export class Connections {
  observer: RequestObserver | undefined;
  /** Requests that were begun and whose response is not sent yet. */
  requestsInFlight = 0;
  private readonly bySocket = new Map<Socket, Connection>();

  /** @param handle begins a request; returns whether its response closes the connection, as it has to if `isLast` */
  constructor(private readonly handle: (response: ServerResponse, isLast: boolean) => boolean) {}

  /** The listener of `connection`. */
  readonly open = (socket: Socket): void => {
    const connection: Connection = { isBusy: false, waiting: [], isLast: false, since: performance.now() };
    this.bySocket.set(socket, connection);
    // Node calls it after the last response. Its own closes at once: with unread input, that resets the connection, and
    // the client may lose the response.
    socket.destroySoon = () => close(connection, socket);
    socket.once('close', () => this.bySocket.delete(socket));
  };

  /** The listener of `request`, `checkContinue` and `checkExpectation`. */
  readonly accept = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    const connection = this.bySocket.get(socket);
    if (connection === undefined || connection.isLast) return;
    if (!connection.isBusy) this.begin(connection, response);
    else if (connection.waiting.length < MAX_WAITING) connection.waiting.push(response);
    else finish(connection, socket);
  };

  /** The listener of `clientError`: what was read is not a request, is too large, or comes too slowly. */
  readonly fail = (error: NodeJS.ErrnoException, socket: Socket): void => {
    const connection = this.bySocket.get(socket);
    if (connection === undefined || !socket.writable) return;
    const { response, isBusy, isLast, waiting } = connection;
    // Only of the last request that was read, the body can be incomplete.
    if (waiting.at(-1)?.req.complete === false) waiting.pop();
    const isBodyBroken = response?.req.complete === false;
    if (isBusy && (!isBodyBroken || response.headersSent)) {
      // Its response, and that of each one that waits, comes first; what was read after them gets none.
      if (!isLast) finish(connection, socket);
    } else if (isBusy && error.code === 'HPE_INVALID_EOF_STATE') socket.destroy();
    else if (isBusy || !isBodyBroken) this.reject(clientProblem(error), connection, socket);
    else close(connection, socket);
  };

  /** Ends connections on which nothing has happened for so many milliseconds, and all that was sent has been read. */
  endIdle(age: number): void {
    for (const [socket, { isBusy, since }] of this.bySocket) {
      if (!isBusy && socket.writableLength === 0 && performance.now() - since > age) socket.destroy();
    }
  }

  private begin(connection: Connection, response: ServerResponse): void {
    const { socket } = response.req;
    Object.assign(connection, { response, isBusy: true });
    this.requestsInFlight++;
    const arrival = performance.now();
    // Not `finish`, which never comes where the client is gone.
    response.once('close', () => {
      this.complete(connection, response, (performance.now() - arrival) / 1_000);
      this.next(connection, socket);
    });
    if (!this.handle(response, connection.isLast && connection.waiting.length === 0)) return;
    connection.waiting.length = 0;
    takeNoMore(connection, socket);
  }

  private complete(connection: Connection, response: ServerResponse, seconds: number): void {
    connection.since = performance.now();
    this.requestsInFlight--;
    const status = response.writableFinished ? response.statusCode : (connection.rejectedWith?.status ?? 'aborted');
    this.observer?.completed(response.req as Request, response as Response, seconds, status);
  }

  /** Begins the request that waits for longest. Without one, the connection is left to its client or closed. */
  private next(connection: Connection, socket: Socket): void {
    if (!socket.writable) return;
    const response = connection.waiting.shift();
    if (response !== undefined) return this.begin(connection, response);
    connection.isBusy = false;
    if (connection.isLast) close(connection, socket);
  }

  /** Responds with a problem to the request in flight, whose body is broken, or to what is no request, and closes. */
  private reject(problem: Problem, connection: Connection, socket: Socket): void {
    const response = connection.isBusy ? connection.response : undefined;
    // The handler never sees the rest of the body, even if it arrives while the client reads the problem.
    response?.req.pause();
    connection.rejectedWith = problem;
    const requestId = response === undefined ? randomUUID() : requestIdOf(response);
    this.observer?.rejected(problem, requestId, response as Response | undefined);
    socket.write(rawProblem(problem, requestId, response?.req));
    close(connection, socket);
  }
}

/** Has a connection closed after the response of the last request that is in flight or waits. */
function finish(connection: Connection, socket: Socket): void {
  takeNoMore(connection, socket);
  const { response, waiting } = connection;
  if (waiting.length === 0 && !response!.headersSent) response!.setHeader('Connection', 'close');
}

/** Closes a connection once its client had a moment to read what was sent, and to stop sending (RFC 9112 §9.6). */
function close(connection: Connection, socket: Socket): void {
  takeNoMore(connection, socket);
  socket.end();
  setTimeout(() => socket.destroy(), LINGER).unref();
}

/**
 * Takes no further request of a connection, and stops its parser after the next head. Node documents no way to do
 * that, and creates the objects of each of the 2,600 requests that one read of 64 KiB can hold. If Node loses this
 * property, only that bound is lost.
 */
function takeNoMore(connection: Connection, { parser }: Socket & { parser?: { onIncoming: unknown } | null }): void {
  connection.isLast = true;
  if (!parser) return;
  // 2 is llhttp's "stop here". With `upgrade`, Node would leave the connection to a listener that does not exist.
  parser.onIncoming = (request: IncomingMessage) => (Object.assign(request, { upgrade: false }), 2);
}
