import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';

// What the HTTP server uses of Node and Express although they do not document it. docs/architecture.md has the list with
// the reasons; test/http/undocumented.spec.ts fails when they change.

/** Calls `close` where Node's server closes a connection: behind the response that is the last, by `destroySoon`. */
export function onServerClose(socket: Socket, close: () => void): void {
  socket.destroySoon = close;
}

/** Keeps a socket paused while `isHeld`: Node's server resumes it once the client has read a large response. */
export function keepPaused(socket: Socket, isHeld: () => boolean): void {
  socket.on('resume', () => {
    if (isHeld()) socket.pause();
  });
}

/**
 * Stops the parser of a connection behind the head of the next request. Node creates the objects of every request that
 * it reads at once, 64 KiB, and keeps them until the end of the turn, whatever becomes of the socket.
 */
export function stopParsing({ parser }: Socket & { parser?: { onIncoming: unknown } | null }): void {
  if (!parser) return;
  parser.onIncoming = (request: IncomingMessage) => {
    // Else Node's server removes its listeners, that of `error` too, and leaves the connection to those of `upgrade`.
    Object.assign(request, { upgrade: false });
    // As the result of llhttp's `on_headers_complete`: stop.
    return 2;
  };
}

/**
 * Has `server.close()` end connections with `end`. Node's own `closeIdleConnections` also ends those whose response is
 * still being sent, and none on which nothing was received.
 */
export function endIdleConnectionsWith(server: Server, end: () => void): void {
  server.closeIdleConnections = end;
}

/**
 * Lets a client that half-closes the connection after its request still receive the response. By default
 * Node ends the connection as soon as the client does.
 */
export function allowHalfOpen(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}

/** Whether the client ended its side in the middle of a request: the code is that of Node's parser, llhttp. */
export function isBrokenOff(error: NodeJS.ErrnoException): boolean {
  return error.code === 'HPE_INVALID_EOF_STATE';
}

/**
 * Gives the classes of a server's messages the prototypes that Express gives every request and response. Express sets
 * them with `Object.setPrototypeOf`, after which V8 treats each object as a shape of its own; on an object that has
 * the prototype already, that does nothing. It is the largest single cost of Express (docs/performance.md).
 */
export function usePrototypes(app: Express, request: typeof IncomingMessage, response: typeof ServerResponse): void {
  Object.setPrototypeOf(request.prototype, app.request);
  Object.setPrototypeOf(response.prototype, app.response);
  Object.assign(app, { request: request.prototype, response: response.prototype });
}
