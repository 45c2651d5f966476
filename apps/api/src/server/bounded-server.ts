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
  /** Of responses that wait to be read, over all connections. */
  readonly maxUnsentBytes: number;
}

/** The classes of requests and responses, as `createServer` takes them. */
export type MessageClasses = Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>;

/** Milliseconds between two checks for connections that are over their time; Node's default is 30 s. */
const CHECK_INTERVAL = 1_000;

/** The same while the server closes, and the time in which a request that is on its way may arrive. */
const CLOSING_CHECK_INTERVAL = 50;
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
      // Of some headers that are sent twice, Node would keep only the first.
      joinDuplicateHeaders: true,
      // Checked in framing.ts, so that the application responds.
      requireHostHeader: false,
    };
    const server = createServer(options, connections.accept);
    server.on('connection', connections.open);
    // Node would send 100 Continue at once; the application does when nothing can reject the body unread any more.
    server.on('checkContinue', connections.accept);
    server.on('checkExpectation', connections.accept);
    server.on('clientError', (error, socket) => connections.fail(error, socket as Socket));
    server.maxConnections = maxConnections;
    // Node drops the headers beyond it, so one more than is allowed has to be seen.
    server.maxHeadersCount = MAX_HEADERS + 1;
    // Not documented: a client that ends its side after its request still receives the response.
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
    // Not that of the HTTP server, which cuts responses that are being read, and ends its time limits.
    await new Promise((resolve) => Server.prototype.close.call(this.http, resolve));
    clearInterval(sweep);
    // A destroyed connection is gone a moment before its request is over.
    while (this.requestsInFlight > 0) await setImmediate();
  }

  private handle(response: ServerResponse, isLastOfPipeline: boolean): boolean {
    const { req: request } = response;
    request.url = originForm(request.url!, request.method) ?? '';
    const fault = framingFault(request);
    // Node's parser stops after a request with `Upgrade`, and after a trailer with `Connection: close`: a proxy that shares
    // the connection has to know before it sends the request of another client.
    const { upgrade, 'transfer-encoding': coding } = request.headers;
    const stopsParser = upgrade !== undefined || coding !== undefined;
    const isLast = isLastOfPipeline || fault !== undefined || stopsParser || !this.http.listening;
    if (isLast) response.setHeader('Connection', 'close');
    if (fault === undefined) this.application.handle(response);
    else this.application.reject(fault, response);
    return isLast;
  }
}
