import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Rejection, rejectionOf } from './rejection.js';

/** Milliseconds that a client has to read the last response before the connection is destroyed (RFC 9112 §9.6). */
const LINGER = 500;

/** Result of a callback that stops llhttp, Node's parser. */
const STOP = 2;

export interface RequestHandler {
  handle(response: ServerResponse): void;
  /** Responds to a request with a faulty head. */
  reject(rejection: Rejection, response: ServerResponse): void;
  /**
   * Returns the last response of a connection, to bytes outside a request or to a request with a broken body.
   *
   * @param response undefined for bytes outside a request
   */
  lastResponse(rejection: Rejection, response: ServerResponse | undefined): { status: number; bytes: string };
  /**
   * Called for every request that began, once its response is sent or its connection has closed.
   *
   * @param seconds since the request began: its head was received, and the previous response was sent
   * @param status `aborted` if the connection closed before the response was sent
   */
  completed(response: ServerResponse, seconds: number, status: number | 'aborted'): void;
}

/**
 * States of a connection:
 *
 *     idle --request--> busy --request--> busy, one request waits, accepts no more
 *     busy --response sent--> idle, or busy with the request that waited
 *
 * A connection that accepts no more requests closes after the responses that are due.
 */
interface Connection {
  /** The current response, kept until it is sent and its request's body is received. */
  response?: ServerResponse | undefined;
  isBusy: boolean;
  /** The response to the waiting request. At most one request waits, since each holds up to 30 kB of heap. */
  waiting?: ServerResponse | undefined;
  acceptsMore: boolean;
  /** Status of the raw response that was written in place of `response`. */
  rejectedWith?: number;
  /** When the connection opened or last completed a request, by `performance.now()`. */
  since: number;
}

/** Handles the requests of each connection one after another (RFC 9112 §9.3.2). */
export class Connections {
  /** Number of requests that are being handled, without those that wait in a pipeline. */
  requestsInFlight = 0;
  private readonly bySocket = new Map<Socket, Connection>();

  /** @param dispatch returns whether the response closes the connection, which it must if `mustClose` is true */
  constructor(
    private readonly handler: RequestHandler,
    private readonly dispatch: (response: ServerResponse, mustClose: boolean) => boolean,
  ) {}

  readonly open = (socket: Socket): void => {
    const connection: Connection = { isBusy: false, acceptsMore: true, since: performance.now() };
    this.bySocket.set(socket, connection);
    // Node calls `destroySoon` after the last response. Closing at once would reset a connection with unread input, and
    // the client could lose the response.
    socket.destroySoon = () => closeGracefully(connection, socket);
    socket.once('close', () => this.bySocket.delete(socket));
  };

  readonly accept = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    const connection = this.bySocket.get(socket);
    if (connection?.acceptsMore !== true) return;
    if (!connection.isBusy) return this.begin(connection, response);
    connection.waiting = response;
    closeAfterResponses(connection, socket);
  };

  /** Responds to input that is malformed, too large or too slow, if it still can, and closes the connection. */
  readonly fail = (error: NodeJS.ErrnoException, socket: Socket): void => {
    const connection = this.bySocket.get(socket);
    if (connection === undefined || !socket.writable) return;
    switch (failedInput(connection)) {
      case 'next head':
        return this.writeLastResponse(rejectionOf(error), connection, socket);
      case 'answered body':
        return closeGracefully(connection, socket);
      case 'body':
        // A client that half-closes within the body does not wait for a response.
        if (error.code === 'HPE_INVALID_EOF_STATE') socket.destroy();
        else this.writeLastResponse(rejectionOf(error), connection, socket);
        return;
      case 'pipelined':
        // Earlier responses are still sent; the failed input gets none.
        if (connection.waiting?.req.complete === false) connection.waiting = undefined;
        closeAfterResponses(connection, socket);
    }
  };

  /** Destroys connections that have been idle for `age` milliseconds and have nothing left to send. */
  endIdle(age: number): void {
    for (const [socket, { isBusy, since }] of this.bySocket) {
      if (!isBusy && socket.writableLength === 0 && performance.now() - since > age) socket.destroy();
    }
  }

  private begin(connection: Connection, response: ServerResponse): void {
    const { socket } = response.req;
    Object.assign(connection, { response, isBusy: true });
    this.requestsInFlight++;
    const begun = performance.now();
    // `finish`, unlike `close`, is not emitted if the client has left.
    response.once('close', () => {
      this.complete(connection, response, (performance.now() - begun) / 1_000);
      this.proceed(connection, response.req);
    });
    const mustClose = !connection.acceptsMore && connection.waiting === undefined;
    if (!this.dispatch(response, mustClose)) return;
    connection.waiting = undefined;
    acceptNoMore(connection, socket);
  }

  private complete(connection: Connection, response: ServerResponse, seconds: number): void {
    connection.since = performance.now();
    this.requestsInFlight--;
    const status = response.writableFinished ? response.statusCode : (connection.rejectedWith ?? 'aborted');
    this.handler.completed(response, seconds, status);
  }

  /** Begins the waiting request. Without one, the connection is idle, or closes if it accepts no more. */
  private proceed(connection: Connection, answered: IncomingMessage): void {
    const { socket } = answered;
    if (!socket.writable) return;
    const { waiting } = connection;
    connection.waiting = undefined;
    if (waiting !== undefined) return this.begin(connection, waiting);
    connection.isBusy = false;
    if (!connection.acceptsMore) closeGracefully(connection, socket);
    forgetOnceReceived(connection, answered);
  }

  private writeLastResponse(rejection: Rejection, connection: Connection, socket: Socket): void {
    const response = connection.isBusy ? connection.response : undefined;
    // The handler must not see the rest of a broken body.
    response?.req.pause();
    const { status, bytes } = this.handler.lastResponse(rejection, response);
    connection.rejectedWith = status;
    socket.write(bytes);
    closeGracefully(connection, socket);
  }
}

/** What the client was sending when its input failed: `pipelined` is whatever follows a request that is being handled. */
function failedInput({ isBusy, response }: Connection): 'next head' | 'answered body' | 'body' | 'pipelined' {
  const isBodyIncomplete = response?.req.complete === false;
  if (!isBusy) return isBodyIncomplete ? 'answered body' : 'next head';
  return isBodyIncomplete && !response.headersSent ? 'body' : 'pipelined';
}

/** Forgets the response once its request's body is received: an idle connection must not keep headers in memory. */
function forgetOnceReceived(connection: Connection, answered: IncomingMessage): void {
  const forget = (): void => {
    if (!connection.isBusy) connection.response = undefined;
  };
  if (answered.complete) forget();
  else answered.once('end', forget);
}

/** Closes the connection after the last response that is due. */
function closeAfterResponses(connection: Connection, socket: Socket): void {
  acceptNoMore(connection, socket);
  const { response, waiting } = connection;
  if (waiting === undefined && !response!.headersSent) response!.setHeader('Connection', 'close');
}

/** Half-closes the connection, and destroys it after {@link LINGER}. */
function closeGracefully(connection: Connection, socket: Socket): void {
  acceptNoMore(connection, socket);
  socket.end();
  setTimeout(() => socket.destroy(), LINGER).unref();
}

/**
 * Accepts no further request, and stops the parser after the next head: one read of 64 KiB can hold 2,600 requests, and
 * Node would create objects for each. `onIncoming` is undocumented: if Node dropped it, only this limit would be lost.
 */
function acceptNoMore(connection: Connection, { parser }: Socket & { parser?: { onIncoming: unknown } | null }): void {
  connection.acceptsMore = false;
  if (!parser) return;
  parser.onIncoming = (request: IncomingMessage): number => {
    // Otherwise Node would hand a connection with `upgrade` over to a listener that does not exist.
    Object.assign(request, { upgrade: false });
    return STOP;
  };
}
