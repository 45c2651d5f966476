import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Milliseconds that a client has to read the last response before the connection is destroyed (RFC 9112 §9.6). */
const LINGER = 500;

/** Result of a callback that stops llhttp, Node's parser. */
const STOP = 2;

/**
 * The state of a client's connection:
 *
 *     idle --request--> busy --request--> busy, one request waits, accepts no more
 *     busy --response sent--> idle, or busy with the request that waited
 *
 * A connection that accepts no more requests closes after the responses that are due.
 */
export class ClientConnection {
  isBusy = false;
  /** The current response, kept until it is sent and its request's body is received. */
  response: ServerResponse | undefined;
  /** The response to the waiting request. At most one request waits, since each holds up to 30 kB of heap. */
  waiting: ServerResponse | undefined;
  acceptsMore = true;
  /** Status of the raw response that was written in place of `response`. */
  rejectedWith: number | undefined;
  /** When the connection opened or last completed a request, by `performance.now()`. */
  since = performance.now();

  constructor(readonly socket: Socket) {}

  /** What the client was sending when its input failed: `pipelined` is whatever follows a request that is being handled. */
  get failedInput(): 'next head' | 'answered body' | 'body' | 'pipelined' {
    const { isBusy, response } = this;
    const isBodyIncomplete = response?.req.complete === false;
    if (!isBusy) return isBodyIncomplete ? 'answered body' : 'next head';
    return isBodyIncomplete && !response.headersSent ? 'body' : 'pipelined';
  }

  /** Forgets the response once its request's body is received: an idle connection must not keep headers in memory. */
  forgetOnceReceived(answered: IncomingMessage): void {
    const forget = (): void => {
      if (!this.isBusy) this.response = undefined;
    };
    if (answered.complete) forget();
    else answered.once('end', forget);
  }

  /** Closes the connection after the last response that is due. */
  closeAfterResponses(): void {
    this.acceptNoMore();
    const { response, waiting } = this;
    if (waiting === undefined && !response!.headersSent) response!.setHeader('Connection', 'close');
  }

  /** Half-closes the connection, and destroys it after {@link LINGER}. */
  closeGracefully(): void {
    this.acceptNoMore();
    this.socket.end();
    setTimeout(() => this.socket.destroy(), LINGER).unref();
  }

  /**
   * Accepts no further request, and stops the parser after the next head: one read of 64 KiB can hold 2,600 requests,
   * and Node would create objects for each. `onIncoming` is undocumented: if Node dropped it, only this limit would be
   * lost.
   */
  acceptNoMore(): void {
    this.acceptsMore = false;
    const { parser } = this.socket as Socket & { parser?: { onIncoming: unknown } | null };
    if (!parser) return;
    parser.onIncoming = (request: IncomingMessage): number => {
      // Otherwise Node would hand a connection with `upgrade` over to a listener that does not exist.
      Object.assign(request, { upgrade: false });
      return STOP;
    };
  }
}
