import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Request, Response } from 'express';
import { clientProblem, rawProblem } from '../edge/raw-problem.js';
import { type Fault, statusOf } from '../edge/problem.js';
import { requestIdOf } from '../edge/request.js';

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
  rejected(problem: Fault, requestId: string, response: Response | undefined): void;
}

interface Connection {
  /** Of the request in flight, or of the one before it until all of its body was received. */
  response?: ServerResponse | undefined;
  /** Until that response is sent and no other request waits. */
  isBusy: boolean;
  /** Of the request that waits for it: one at most, since each holds up to 30 kB of heap. It is the last one. */
  waiting?: ServerResponse | undefined;
  /** No further request is taken, since a response closes the connection (RFC 9112 §9.6). */
  isLast: boolean;
  /** The status of what was written in place of the response. */
  rejectedWith?: number;
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
    const connection: Connection = { isBusy: false, isLast: false, since: performance.now() };
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
    if (!connection.isBusy) return this.begin(connection, response);
    connection.waiting = response;
    finish(connection, socket);
  };

  /** The listener of `clientError`: what was read is not a request, is too large, or comes too slowly. */
  readonly fail = (error: NodeJS.ErrnoException, socket: Socket): void => {
    const connection = this.bySocket.get(socket);
    if (connection === undefined || !socket.writable) return;
    const { response, isBusy, waiting } = connection;
    if (waiting?.req.complete === false) connection.waiting = undefined;
    const isBodyBroken = response?.req.complete === false;
    if (isBusy && (!isBodyBroken || response.headersSent)) {
      // Its response, and that of the one that waits, comes first; what was read after them gets none.
      finish(connection, socket);
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
      this.next(connection, response.req);
    });
    if (!this.handle(response, connection.isLast && connection.waiting === undefined)) return;
    connection.waiting = undefined;
    takeNoMore(connection, socket);
  }

  private complete(connection: Connection, response: ServerResponse, seconds: number): void {
    connection.since = performance.now();
    this.requestsInFlight--;
    const status = response.writableFinished ? response.statusCode : (connection.rejectedWith ?? 'aborted');
    this.observer?.completed(response.req as Request, response as Response, seconds, status);
  }

  /** Begins the request that waits. Without one, the connection is left to its client or closed. */
  private next(connection: Connection, last: IncomingMessage): void {
    const { socket } = last;
    if (!socket.writable) return;
    const { waiting } = connection;
    connection.waiting = undefined;
    if (waiting !== undefined) return this.begin(connection, waiting);
    connection.isBusy = false;
    if (connection.isLast) close(connection, socket);
    // Else, each idle connection would hold the headers of a request.
    const forget = (): void => {
      if (!connection.isBusy) connection.response = undefined;
    };
    if (last.complete) forget();
    else last.once('end', forget);
  }

  /** Responds with a problem to the request in flight, whose body is broken, or to what is no request, and closes. */
  private reject(problem: Fault, connection: Connection, socket: Socket): void {
    const response = connection.isBusy ? connection.response : undefined;
    // The handler never sees the rest of the body, even if it arrives while the client reads the problem.
    response?.req.pause();
    connection.rejectedWith = statusOf(problem);
    const requestId = response === undefined ? randomUUID() : requestIdOf(response);
    this.observer?.rejected(problem, requestId, response as Response | undefined);
    socket.write(rawProblem(problem, requestId, response?.req));
    close(connection, socket);
  }
}

/** Has a connection closed after the response of the request that waits, or else of the one in flight. */
function finish(connection: Connection, socket: Socket): void {
  takeNoMore(connection, socket);
  const { response, waiting } = connection;
  if (waiting === undefined && !response!.headersSent) response!.setHeader('Connection', 'close');
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
