import { createServer, type Server as HttpServer, type ServerOptions, type ServerResponse } from 'node:http';
import { Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { type Application, Connections } from './connections.js';
import { framingFault, MAX_HEADERS, originForm } from './framing.js';

/** Bounds of the HTTP server, as `config/variables.ts` describes them; times are milliseconds. */
export interface ServerSettings {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  readonly responseTimeout: number;
  readonly maxConnections: number;
  /** Bytes of unread responses, over all connections. */
  readonly maxUnsentBytes: number;
}

/** The classes of requests and responses, as `createServer` takes them. */
export type MessageClasses = Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>;

/** Milliseconds between two checks of the time limits; Node's default is 30 s. */
const CHECK_INTERVAL = 1_000;

/** Milliseconds between two checks for idle connections while the server closes. */
const CLOSING_CHECK_INTERVAL = 50;
/** Milliseconds that a closing server waits for a request that is on its way. */
const MIN_IDLE = 100;

/** An HTTP server with bounds, which hands on one well-framed request of a connection at a time. */
export class BoundedServer {
  readonly http: HttpServer;
  private readonly connections: Connections;

  constructor(
    settings: ServerSettings,
    messages: MessageClasses,
    private readonly application: Application,
    checkInterval = CHECK_INTERVAL,
  ) {
    const connections = new Connections(application, (response, isLast) => this.handle(response, isLast));
    const { headersTimeout, requestTimeout, keepAliveTimeout, maxConnections } = settings;
    const options = {
      ...messages,
      headersTimeout,
      requestTimeout,
      keepAliveTimeout,
      connectionsCheckingInterval: checkInterval,
      // Without it, Node keeps only the first of some headers that are sent twice.
      joinDuplicateHeaders: true,
      // `framingFault` checks Host, so that the application responds.
      requireHostHeader: false,
    };
    const server = createServer(options, connections.accept);
    server.on('connection', connections.open);
    // Without a listener, Node sends 100 Continue at once, even to a request that is rejected before its body is read.
    server.on('checkContinue', connections.accept);
    server.on('checkExpectation', connections.accept);
    server.on('clientError', (error, socket) => connections.fail(error, socket as Socket));
    server.maxConnections = maxConnections;
    // Node drops headers beyond this count in silence: one more than allowed shows that there are too many.
    server.maxHeadersCount = MAX_HEADERS + 1;
    // A client that ends its side after its request still receives the response. Undocumented.
    Object.assign(server, { httpAllowHalfOpen: true });
    this.http = server;
    this.connections = connections;
  }

  /** Requests that were begun and whose response is not sent yet. */
  get requestsInFlight(): number {
    return this.connections.requestsInFlight;
  }

  /**
   * Takes no new connections, and resolves when the last one is gone and every request was completed. Connections on
   * which no request is in flight are ended; what is in flight may take as long as it likes.
   */
  async close(): Promise<void> {
    const sweep = setInterval(() => this.connections.endIdle(MIN_IDLE), CLOSING_CHECK_INTERVAL);
    // The HTTP server's own `close` cuts responses that are being read, and ends the time limits.
    await new Promise((resolve) => Server.prototype.close.call(this.http, resolve));
    clearInterval(sweep);
    // The requests of a destroyed connection end a moment after it.
    while (this.requestsInFlight > 0) await setImmediate();
  }

  private handle(response: ServerResponse, isLastOfPipeline: boolean): boolean {
    const { req: request } = response;
    request.url = originForm(request.url!, request.method) ?? '';
    const fault = framingFault(request);
    // Node's parser stops after `Upgrade`, and after a trailer with `Connection: close`. A proxy that shares the
    // connection between clients has to know before it sends the next request.
    const { upgrade, 'transfer-encoding': coding } = request.headers;
    const stopsParser = upgrade !== undefined || coding !== undefined;
    const isLast = isLastOfPipeline || fault !== undefined || stopsParser || !this.http.listening;
    if (isLast) response.setHeader('Connection', 'close');
    if (fault === undefined) this.application.handle(response);
    else this.application.reject(fault, response);
    return isLast;
  }
}
