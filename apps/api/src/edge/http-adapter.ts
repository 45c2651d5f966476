import type { ServerResponse } from 'node:http';
// The package's index would also load the code for file uploads.
import { ExpressAdapter } from '@nestjs/platform-express/adapters/express-adapter.js';
import express, { type Express, type Request, type Response } from 'express';
import { BoundedServer, type ServerSettings } from '../server/bounded-server.js';
import type { RequestHandler } from '../server/connections.js';
import type { Rejection } from '../server/rejection.js';
import { UnsentResponses } from '../server/unsent-responses.js';
import { expressMessages } from './express-messages.js';
import { Problem, problemReply, statusOf } from './problem.js';
import { parseQuery } from './query.js';
import { rawProblem } from './raw-problem.js';
import { JSON_TYPE, Reply, send } from './reply.js';
import { newRequestId, pathOf, requestIdOf } from './request.js';

export interface RequestObserver {
  completed(request: Request, response: Response, seconds: number, status: number | 'aborted'): void;
  /**
   * Called for every problem, before the response is written.
   *
   * @param response undefined for bytes outside a request
   */
  rejected(problem: Problem, requestId: string, response: Response | undefined): void;
}

/** Runs Nest on Express, with exact matching of paths, behind a {@link BoundedServer}. */
export class HttpAdapter extends ExpressAdapter implements RequestHandler {
  /** Set by `MonitoringModule`. */
  observer: RequestObserver | undefined;
  /** Set by `initHttpServer`, which Nest calls before the server is used. */
  server!: BoundedServer;
  private unsent!: UnsentResponses;

  constructor(private readonly settings: ServerSettings) {
    super();
    // The Express application that Nest creates has a layer for hooks that are not used here.
    const app = express().enable('case sensitive routing').enable('strict routing').disable('x-powered-by');
    this.setInstance(app.set('query parser', parseQuery));
  }

  override initHttpServer(): void {
    const { responseTimeout, maxUnsentBytes } = this.settings;
    const unsent = new UnsentResponses(responseTimeout, maxUnsentBytes);
    const messages = expressMessages(this.getInstance<Express>(), (response) => unsent.written(response));
    this.unsent = unsent;
    this.server = new BoundedServer(this.settings, messages, this);
    this.httpServer = this.server.http;
  }

  override close(): Promise<void> {
    return this.server.close();
  }

  /** Sends a {@link Reply}, or any other object as JSON. */
  override reply(response: Response, body: unknown, status = response.statusCode): void {
    const reply = body instanceof Reply ? body : new Reply(status, { type: JSON_TYPE, body: JSON.stringify(body) });
    send(response, reply);
  }

  /** Passes a request to Express, but not while responses that were cut off still take up memory. */
  handle(response: ServerResponse): void {
    if (response.closed) return;
    if (this.unsent.isFull) return void setImmediate(() => this.handle(response));
    // `OPTIONS *` concerns the server as a whole (RFC 9110 §9.3.7).
    if (response.req.url === '*') send(response, new Reply(204, {}));
    else this.getInstance<Express>()(response.req, response);
  }

  reject(rejection: Rejection, response: ServerResponse): void {
    const problem = this.problemOf(rejection, requestIdOf(response), response);
    send(response, problemReply(problem, pathOf(response.req)));
  }

  lastResponse(rejection: Rejection, response: ServerResponse | undefined): { status: number; bytes: string } {
    const requestId = response === undefined ? newRequestId() : requestIdOf(response);
    const problem = this.problemOf(rejection, requestId, response);
    return { status: statusOf(problem), bytes: rawProblem(problem, requestId, response?.req) };
  }

  completed(response: ServerResponse, seconds: number, status: number | 'aborted'): void {
    this.observer?.completed(response.req as Request, response as Response, seconds, status);
  }

  /** The problem of a rejection, which the observer is told. */
  private problemOf({ type, detail }: Rejection, requestId: string, response: ServerResponse | undefined): Problem {
    const problem = new Problem(type, detail);
    this.observer?.rejected(problem, requestId, response as Response | undefined);
    return problem;
  }
}
