import { createServer, type ServerResponse } from 'node:http';
import { Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
// Not from the package as a whole, which loads uploads with it.
import { ExpressAdapter } from '@nestjs/platform-express/adapters/express-adapter.js';
import express, { type Express, type Response } from 'express';
import { Connections } from '../server/connections.js';
import { expressMessages } from './express-messages.js';
import { framingFault, MAX_HEADERS, originForm, pathOf, requestIdOf } from './request.js';
import { problemReply } from './problem.js';
import { JSON_TYPE, Reply, send } from './reply.js';
import { UnsentResponses } from '../server/unsent-responses.js';

/** Milliseconds between two checks for connections that are over their time; Node's default is 30 s. */
const CHECK_INTERVAL = 1_000;

/** The same while the server closes, and the time in which a request that is on its way may arrive. */
const CLOSING_CHECK_INTERVAL = 50;
const MIN_IDLE = 100;

/** Nest on Express, with exact paths and a server with bounds. */
export class HttpAdapter extends ExpressAdapter {
  /** `stopping` completes requests in flight and accepts no others; `cutting` closes the connections that are left. */
  state: 'serving' | 'stopping' | 'cutting' = 'serving';
  readonly connections = new Connections((response, isLast) => this.handle(response, isLast));

  constructor(
    private readonly settings: ServerSettings,
    private readonly checkInterval = CHECK_INTERVAL,
  ) {
    super();
    // Exact paths, and without the layer for hooks that Nest's constructor adds: nothing here sets one.
    this.setInstance(express().enable('case sensitive routing').enable('strict routing').disable('x-powered-by'));
  }

  override initHttpServer(): void {
    const { maxConnections, responseTimeout, maxUnsentBytes, ...timeouts } = this.settings;
    const unsent = new UnsentResponses(responseTimeout, maxUnsentBytes);
    const options = {
      ...timeouts,
      ...expressMessages(this.getInstance<Express>(), (response) => unsent.written(response)),
      connectionsCheckingInterval: this.checkInterval,
      // Of some headers that are sent twice, Node would keep only the first.
      joinDuplicateHeaders: true,
      // Checked in request-head.ts, so that the rejection is a problem.
      requireHostHeader: false,
    };
    const server = createServer(options, this.connections.accept);
    server.on('connection', this.connections.open);
    // Node would send 100 Continue at once; `json-body.ts` does when nothing can reject the body unread any more.
    server.on('checkContinue', this.connections.accept);
    server.on('checkExpectation', this.connections.accept);
    server.on('clientError', (error, socket) => this.connections.fail(error, socket as Socket));
    server.maxConnections = maxConnections;
    // Node drops the headers beyond it, so one more than is allowed has to be seen.
    server.maxHeadersCount = MAX_HEADERS + 1;
    // Not documented: a client that ends its side after its request still receives the response.
    Object.assign(server, { httpAllowHalfOpen: true });
    this.httpServer = server;
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
    // Not that of the HTTP server, which cuts responses that are being read, and ends its time limits.
    await new Promise((resolve) => Server.prototype.close.call(this.httpServer, resolve));
    clearInterval(sweep);
    // A destroyed connection is gone a moment before its request is over.
    while (this.connections.requestsInFlight > 0) await setImmediate();
  }

  private handle(response: ServerResponse, isLastOfPipeline: boolean): boolean {
    const { req: request } = response;
    request.url = originForm(request.url!, request.method) ?? '';
    const fault = framingFault(request);
    // Node's parser stops after a request with `Upgrade`, and after a trailer with `Connection: close`: a proxy that shares
    // the connection has to know before it sends the request of another client.
    const { upgrade, 'transfer-encoding': coding } = request.headers;
    const stopsParser = upgrade !== undefined || coding !== undefined;
    const isLast = isLastOfPipeline || fault !== undefined || stopsParser || !this.httpServer.listening;
    if (isLast) response.setHeader('Connection', 'close');
    if (fault !== undefined) {
      this.connections.observer?.rejected(fault, requestIdOf(response), response as Response);
      send(response, problemReply(fault, pathOf(request)));
    } else if (request.url === '*') send(response, new Reply(204, undefined, ''));
    else this.getInstance<Express>()(request, response);
    return isLast;
  }
}

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
