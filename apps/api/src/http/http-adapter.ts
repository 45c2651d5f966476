import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';

// Not from the package as a whole, which brings uploads with it: 25 ms of a start.
import { ExpressAdapter } from '@nestjs/platform-express/adapters/express-adapter.js';
import express, { type Express, type Request, type Response } from 'express';
import { Connections } from './connections.js';
import { expressMessages } from './express-messages.js';
import type { Problem } from './problem.js';
import { framingFault, originForm } from './request-head.js';
import { JSON_TYPE, Reply, send } from './reply.js';
import { allowHalfOpen, endIdleConnectionsWith } from './undocumented.js';
import { UnsentResponses } from './unsent-responses.js';

const SERVER_OPTIONS: ServerOptions = {
  // Of some headers that are sent twice, Node would keep only the first.
  joinDuplicateHeaders: true,
  // Checked in request-head.ts, so that the rejection is a problem.
  requireHostHeader: false,
};

/** Milliseconds between two checks for connections that are over their time; Node's default is 30 s. */
const CHECK_INTERVAL = 1_000;

/** The same while the server closes, and the time in which a request that is on its way may arrive. */
const CLOSING_CHECK_INTERVAL = 50;
const MIN_IDLE = 100;

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

/** Nest on Express, with exact paths and a server with bounds. */
export class HttpAdapter extends ExpressAdapter {
  /** `stopping` completes requests in flight and accepts no others; `cutting` closes the connections that are left. */
  state: 'serving' | 'stopping' | 'cutting' = 'serving';
  private observer: RequestObserver | undefined;
  private readonly connections = new Connections({
    begin: (request, response, isLast) => this.begin(request, response, isLast),
    completed: (request, response, status, seconds) =>
      this.observer?.completed(request as Request, response as Response, seconds, status),
    rejected: (problem, requestId, response) => this.observer?.rejected(problem, requestId, response as Response),
  });

  constructor(
    private readonly settings: ServerSettings,
    private readonly checkInterval = CHECK_INTERVAL,
  ) {
    super();
    // Exact paths, and without the layer for hooks that Nest's constructor adds: nothing here sets one.
    this.setInstance(exactExpress());
  }

  get requestsInFlight(): number {
    return this.connections.requestsInFlight;
  }

  observeRequests(observer: RequestObserver): void {
    this.observer = observer;
  }

  override initHttpServer(): void {
    const { maxConnections, responseTimeout, maxUnsentBytes, ...timeouts } = this.settings;
    const unsent = new UnsentResponses(responseTimeout, maxUnsentBytes);
    const messages = expressMessages(this.getInstance<Express>(), (response) => unsent.written(response));
    const options = { ...SERVER_OPTIONS, ...timeouts, ...messages, connectionsCheckingInterval: this.checkInterval };
    const server = createServer(options, this.connections.accept);
    server.on('connection', this.connections.open);
    // Node would send 100 Continue at once; `json-body.ts` does when nothing can reject the body unread any more.
    server.on('checkContinue', this.connections.accept);
    server.on('checkExpectation', this.connections.accept);
    server.on('clientError', this.connections.onClientError);
    server.on('connect', this.connections.onConnect);
    server.on('drop', () => unsent.cutOffOldest());
    server.maxConnections = maxConnections;
    allowHalfOpen(server);
    endIdleConnectionsWith(server, () => this.connections.endIdle(MIN_IDLE));
    // Node's own leaves out those on which CONNECT was received.
    server.closeAllConnections = () => this.connections.destroy();
    this.sweepWhileOpen(server, timeouts);
    this.httpServer = server;
  }

  /**
   * Ends connections that Node's time limits do not: it restarts `keepAliveTimeout` at every empty line, and has none
   * for a connection that is paused.
   */
  private sweepWhileOpen(server: Server, { keepAliveTimeout, headersTimeout, requestTimeout }: Timeouts): void {
    const sweep = setInterval(() => {
      this.connections.endIdle(keepAliveTimeout + headersTimeout);
      this.connections.endUnfinished(requestTimeout);
    }, this.checkInterval).unref();
    server.once('close', () => clearInterval(sweep));
  }

  /** Sends what a handler returns: a {@link Reply}, or an object as JSON. */
  override reply(response: Response, body: unknown, status = response.statusCode): void {
    send(response, body instanceof Reply ? body : new Reply(status, JSON_TYPE, JSON.stringify(body)));
  }

  /**
   * Takes no new connections, and resolves when the last one is gone and every request was observed. Connections on
   * which no request is in flight are ended; what is in flight may take as long as it likes.
   */
  override async close(): Promise<void> {
    const sweep = setInterval(() => this.connections.endIdle(MIN_IDLE), CLOSING_CHECK_INTERVAL);
    await super.close();
    clearInterval(sweep);
    // A destroyed connection is gone a moment before its request is over.
    await this.connections.idle();
  }

  /** @throws Problem if it is not an HTTP/1.1 request; the connection is closed behind it */
  private begin(request: IncomingMessage, response: ServerResponse, isLastOfPipeline: boolean): void {
    const fault = framingFault(request);
    if (fault !== undefined) throw fault;
    if (!request.url!.startsWith('/')) request.url = originForm(request.url!, request.method)!;
    // Node's parser stops behind a request with `Upgrade`: nothing that follows on the connection is read.
    const isLast = isLastOfPipeline || request.headers.upgrade !== undefined || !this.httpServer.listening;
    if (isLast) response.setHeader('Connection', 'close');
    this.getInstance<Express>()(request, response);
  }
}

function exactExpress(): Express {
  const app = express();
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.disable('x-powered-by');
  return app;
}

/** Milliseconds. */
interface Timeouts {
  /** Until the headers of a request are read. */
  readonly headersTimeout: number;
  /** Until a request is read to its end. */
  readonly requestTimeout: number;
  /** For the next request of a connection. */
  readonly keepAliveTimeout: number;
}

/** Bounds of the HTTP server. */
export interface ServerSettings extends Timeouts {
  /** Milliseconds without progress in reading a response, after which a connection is closed; at most twice as long. */
  readonly responseTimeout: number;
  readonly maxConnections: number;
  /** Bytes of responses that wait to be read, over all connections. */
  readonly maxUnsentBytes: number;
}
