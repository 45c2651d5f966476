import { createServer, type Server as HttpServer, type ServerOptions, type ServerResponse } from 'node:http';
import { Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Connections, type RequestHandler } from './connections.js';
import { framingFault, MAX_HEADERS, originForm } from './framing.js';

/** Limits of the HTTP server. Times are in milliseconds. */
export interface ServerSettings {
  /** Time for a whole request; 10 s of it for the headers. */
  readonly requestTimeout: number;
  /** Time that an idle connection is kept. */
  readonly keepAliveTimeout: number;
  /** Time without progress in a response. */
  readonly responseTimeout: number;
  /** Maximum open connections; further ones are closed. */
  readonly maxConnections: number;
  /** Maximum bytes of unread responses, over all connections. */
  readonly maxUnsentBytes: number;
  /** Time between checks of the time limits; default: a second. */
  readonly checkInterval?: number;
}

export type MessageClasses = Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>;

/** Maximum milliseconds for the headers of a request. */
const MAX_HEADERS_TIMEOUT = 10_000;

/** Milliseconds between checks of the time limits; Node's default is 30 s. */
const CHECK_INTERVAL = 1_000;

/** Milliseconds between checks for idle connections while the server closes. */
const CLOSING_CHECK_INTERVAL = 50;
/** Milliseconds for which a closing server leaves an idle connection open: a request may be on its way. */
const MIN_IDLE = 100;

/** An HTTP server with limits. It passes on only well-framed requests, one at a time for each connection. */
export class BoundedServer {
  readonly http: HttpServer;
  private readonly connections: Connections;

  constructor(
    settings: ServerSettings,
    messages: MessageClasses,
    private readonly handler: RequestHandler,
  ) {
    const connections = new Connections(handler, (response, mustClose) => this.dispatch(response, mustClose));
    const { requestTimeout, keepAliveTimeout, maxConnections } = settings;
    const { checkInterval = CHECK_INTERVAL } = settings;
    const options = {
      ...messages,
      headersTimeout: Math.min(MAX_HEADERS_TIMEOUT, requestTimeout),
      requestTimeout,
      keepAliveTimeout,
      connectionsCheckingInterval: checkInterval,
      // Node by default keeps only the first of some repeated headers, such as Host.
      joinDuplicateHeaders: true,
      // `framingFault` checks Host instead: Node would respond without problem details.
      requireHostHeader: false,
      // Overrides `--insecure-http-parser` in `NODE_OPTIONS`, which would allow request smuggling.
      insecureHTTPParser: false,
    };
    const server = createServer(options, connections.accept);
    server.on('connection', connections.open);
    // Node itself would send 100 Continue even to requests that are rejected before their body is read.
    server.on('checkContinue', connections.accept);
    server.on('checkExpectation', connections.accept);
    server.on('clientError', (error, socket) => connections.fail(error, socket as Socket));
    server.maxConnections = maxConnections;
    // Node silently drops headers beyond this count: one extra reveals that there are too many.
    server.maxHeadersCount = MAX_HEADERS + 1;
    // Undocumented option: a client that half-closes after its request still receives the response.
    Object.assign(server, { httpAllowHalfOpen: true });
    this.http = server;
    this.connections = connections;
  }

  get requestsInFlight(): number {
    return this.connections.requestsInFlight;
  }

  /**
   * Stops listening, closes idle connections, and resolves once the last request is complete, however long it takes.
   */
  async close(): Promise<void> {
    const sweep = setInterval(() => this.connections.endIdle(MIN_IDLE), CLOSING_CHECK_INTERVAL);
    // The HTTP server's own `close` cuts off responses that are still being read, and stops checking time limits.
    await new Promise((resolve) => Server.prototype.close.call(this.http, resolve));
    clearInterval(sweep);
    // Requests on a destroyed connection complete a moment after it closes.
    while (this.requestsInFlight > 0) await setImmediate();
  }

  private dispatch(response: ServerResponse, mustClose: boolean): boolean {
    const { req: request } = response;
    request.url = originForm(request.url!, request.method) ?? '';
    const fault = framingFault(request);
    // Node's parser stops after a request with `Upgrade`, and may stop after a chunked body, whose trailer can say
    // `Connection: close`. The response to either announces that the connection closes: otherwise a proxy could send
    // another client's request on it.
    const { upgrade, 'transfer-encoding': coding } = request.headers;
    const mayStopParser = upgrade !== undefined || coding !== undefined;
    const closes = mustClose || fault !== undefined || mayStopParser || !this.http.listening;
    if (closes) response.setHeader('Connection', 'close');
    if (fault === undefined) this.handler.handle(response);
    else this.handler.reject(fault, response);
    return closes;
  }
}
