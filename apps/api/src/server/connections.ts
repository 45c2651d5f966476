import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Rejection, rejectionOf } from './rejection.js';

/** Milliseconds in which a client may read the last response before its connection is gone (RFC 9112 §9.6). */
const LINGER = 500;

/** What a server serves. It is handed one request of a connection at a time. */
export interface Application {
  /** Responds to a request. */
  handle(response: ServerResponse): void;
  /** Responds to a request whose head is rejected. */
  reject(rejection: Rejection, response: ServerResponse): void;
  /**
   * Returns the response to what is no request, or to a request with a broken body. The connection closes after it.
   *
   * @param response undefined for what is no request
   */
  responseTo(rejection: Rejection, response: ServerResponse | undefined): { status: number; bytes: string };
  /**
   * Called for every request once its response is sent, or its client is gone.
   *
   * @param seconds from the beginning of the request
   * @param status `aborted` where the client was gone before its response was sent
   */
  completed(response: ServerResponse, seconds: number, status: number | 'aborted'): void;
}

/**
 * A connection is idle, or busy with one request, behind which another one may wait:
 *
 *     idle --request--> busy --request--> busy, one waits, last
 *     busy --response sent--> idle, or busy with the one that waited
 *
 * From any of them it becomes `last`, and stays so: no further request is taken, and it closes after the responses that
 * are due.
 */
interface Connection {
  /** The response in flight, or the last one until the body of its request is received. */
  response?: ServerResponse | undefined;
  isBusy: boolean;
  /** The response of the request that waits: one at most, since each holds up to 30 kB of heap. */
  waiting?: ServerResponse | undefined;
  isLast: boolean;
  /** The status of what was written in place of the response. */
  rejectedWith?: number;
  /** When the connection was opened, or its last response sent, by `performance.now()`. */
  since: number;
}

/** The connections of a server. Each has its requests handled one after the other (RFC 9112 §9.3.2). */
export class Connections {
  /** Requests that were begun and whose response is not sent yet. */
  requestsInFlight = 0;
  private readonly bySocket = new Map<Socket, Connection>();

  /** @param handle begins a request; returns whether its response closes the connection, as it has to if `isLast` */
  constructor(
    private readonly application: Application,
    private readonly handle: (response: ServerResponse, isLast: boolean) => boolean,
  ) {}

  /** The listener of `connection`. */
  readonly open = (socket: Socket): void => {
    const connection: Connection = { isBusy: false, isLast: false, since: performance.now() };
    this.bySocket.set(socket, connection);
    // Node calls `destroySoon` after the last response. Its own closes at once, which resets a connection with unread
    // input, and the client may lose the response.
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
    switch (failedPart(connection)) {
      case 'later request':
        // The responses that are due come first, and what failed after their requests gets none.
        if (connection.waiting?.req.complete === false) connection.waiting = undefined;
        return finish(connection, socket);
      case 'body of the request':
        // The client has ended its side: nobody waits for a response.
        if (error.code === 'HPE_INVALID_EOF_STATE') socket.destroy();
        else this.reject(rejectionOf(error), connection, socket);
        return;
      case 'no request':
        return this.reject(rejectionOf(error), connection, socket);
      case 'body of an answered request':
        close(connection, socket);
    }
  };

  /** Ends connections on which nothing has happened for this many milliseconds, and all that was sent has been read. */
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
    // `finish` never comes where the client is gone.
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
    this.application.completed(response, seconds, status);
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
    // An idle connection must not hold the headers of its last request.
    const forget = (): void => {
      if (!connection.isBusy) connection.response = undefined;
    };
    if (last.complete) forget();
    else last.once('end', forget);
  }

  /** Responds to the request in flight, whose body is broken, or to what is no request, and closes. */
  private reject(rejection: Rejection, connection: Connection, socket: Socket): void {
    const response = connection.isBusy ? connection.response : undefined;
    // The handler never sees the rest of the body, even if it arrives while the client reads the response.
    response?.req.pause();
    const { status, bytes } = this.application.responseTo(rejection, response);
    connection.rejectedWith = status;
    socket.write(bytes);
    close(connection, socket);
  }
}

/** The part of the exchange that the unparsable bytes belong to. */
function failedPart({ isBusy, response }: Connection) {
  const isBodyIncomplete = response?.req.complete === false;
  if (!isBusy) return isBodyIncomplete ? 'body of an answered request' : 'no request';
  return isBodyIncomplete && !response.headersSent ? 'body of the request' : 'later request';
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
 * that, and creates objects for each of the 2,600 requests that one read of 64 KiB can hold. If Node loses this
 * property, only that bound is lost.
 */
function takeNoMore(connection: Connection, { parser }: Socket & { parser?: { onIncoming: unknown } | null }): void {
  connection.isLast = true;
  if (!parser) return;
  // 2 is llhttp's "stop here". With `upgrade`, Node would leave the connection to a listener that does not exist.
  parser.onIncoming = (request: IncomingMessage) => (Object.assign(request, { upgrade: false }), 2);
}
