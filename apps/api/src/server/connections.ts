import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ClientConnection } from './client-connection.js';
import { type Rejection, rejectionOf } from './rejection.js';

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

/** Handles the requests of each connection one after another (RFC 9112 §9.3.2). */
export class Connections {
  /** Number of requests that are being handled, without those that wait in a pipeline. */
  requestsInFlight = 0;
  private readonly bySocket = new Map<Socket, ClientConnection>();

  /** @param dispatch returns whether the response closes the connection, which it must if `mustClose` is true */
  constructor(
    private readonly handler: RequestHandler,
    private readonly dispatch: (response: ServerResponse, mustClose: boolean) => boolean,
  ) {}

  readonly open = (socket: Socket): void => {
    const connection = new ClientConnection(socket);
    this.bySocket.set(socket, connection);
    // Node calls `destroySoon` after the last response. Closing at once would reset a connection with unread input, and
    // the client could lose the response.
    socket.destroySoon = () => connection.closeGracefully();
    socket.once('close', () => this.bySocket.delete(socket));
  };

  readonly accept = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    const connection = this.bySocket.get(socket);
    if (connection?.acceptsMore !== true) return;
    if (!connection.isBusy) return this.begin(connection, response);
    connection.waiting = response;
    connection.closeAfterResponses();
  };

  /** Responds to input that is malformed, too large or too slow, if it still can, and closes the connection. */
  readonly fail = (error: NodeJS.ErrnoException, socket: Socket): void => {
    const connection = this.bySocket.get(socket);
    if (connection === undefined || !socket.writable) return;
    switch (connection.failedInput) {
      case 'next head':
        return this.writeLastResponse(rejectionOf(error), connection);
      case 'answered body':
        return connection.closeGracefully();
      case 'body':
        // A client that half-closes within the body does not wait for a response.
        if (error.code === 'HPE_INVALID_EOF_STATE') socket.destroy();
        else this.writeLastResponse(rejectionOf(error), connection);
        return;
      case 'pipelined':
        // Earlier responses are still sent; the failed input gets none.
        if (connection.waiting?.req.complete === false) connection.waiting = undefined;
        connection.closeAfterResponses();
    }
  };

  /** Destroys connections that have been idle for `age` milliseconds and have nothing left to send. */
  endIdle(age: number): void {
    for (const [socket, { isBusy, since }] of this.bySocket) {
      if (!isBusy && socket.writableLength === 0 && performance.now() - since > age) socket.destroy();
    }
  }

  private begin(connection: ClientConnection, response: ServerResponse): void {
    connection.response = response;
    connection.isBusy = true;
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
    connection.acceptNoMore();
  }

  private complete(connection: ClientConnection, response: ServerResponse, seconds: number): void {
    connection.since = performance.now();
    this.requestsInFlight--;
    const status = response.writableFinished ? response.statusCode : (connection.rejectedWith ?? 'aborted');
    this.handler.completed(response, seconds, status);
  }

  /** Begins the waiting request. Without one, the connection is idle, or closes if it accepts no more. */
  private proceed(connection: ClientConnection, answered: IncomingMessage): void {
    const { socket, waiting } = connection;
    if (!socket.writable) return;
    connection.waiting = undefined;
    if (waiting !== undefined) return this.begin(connection, waiting);
    connection.isBusy = false;
    if (!connection.acceptsMore) connection.closeGracefully();
    connection.forgetOnceReceived(answered);
  }

  private writeLastResponse(rejection: Rejection, connection: ClientConnection): void {
    const response = connection.isBusy ? connection.response : undefined;
    // The handler must not see the rest of a broken body.
    response?.req.pause();
    const { status, bytes } = this.handler.lastResponse(rejection, response);
    connection.rejectedWith = status;
    connection.socket.write(bytes);
    connection.closeGracefully();
  }
}
