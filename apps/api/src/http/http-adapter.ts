import { createServer, type ServerOptions } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Request, type Response } from 'express';
import { expressMessages } from './express-messages.js';

/** How long, in milliseconds, and how much the server waits for; what is beyond is refused by Node itself. */
const SERVER_BOUNDS: ServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  // Node looks at the two bounds above only this often; its default is 30 s.
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
};

const MAX_CONNECTIONS = 2_000;

/** Milliseconds between two looks for connections that have become idle while the server closes. */
const IDLE_SWEEP = 50;

/**
 * Told of every request once its answer is sent, or the client is gone.
 *
 * @param seconds from the arrival of the request
 */
export type AnswerObserver = (request: Request, response: Response, seconds: number) => void;

/** Nest on Express, with exact paths and a server that waits for nobody for long. */
export class HttpAdapter extends ExpressAdapter {
  private observer: AnswerObserver | undefined;
  /** Requests whose observer was not called yet. */
  private inFlight = 0;

  constructor() {
    super(exactExpress());
  }

  observeAnswers(observer: AnswerObserver): void {
    this.observer = observer;
  }

  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    this.httpServer = createServer({ ...SERVER_BOUNDS, ...expressMessages(app) }, (request, response) => {
      this.observe(request as Request, response as Response);
      if (!this.httpServer.listening) response.setHeader('Connection', 'close');
      app(request, response);
    });
    this.httpServer.maxConnections = MAX_CONNECTIONS;
  }

  /**
   * Takes no new connections, and resolves when the last one is gone and every request was observed. Node closes those that are idle
   * at this moment only: a client that keeps one busy would keep the process from ending.
   */
  override async close(): Promise<void> {
    const sweep = setInterval(() => this.httpServer.closeIdleConnections(), IDLE_SWEEP);
    await super.close();
    clearInterval(sweep);
    // A connection that is cut is gone a moment before the requests on it are over.
    while (this.inFlight > 0) await setImmediate();
  }

  private observe(request: Request, response: Response): void {
    const arrival = performance.now();
    this.inFlight++;
    response.on('close', () => {
      this.inFlight--;
      this.observer?.(request, response, (performance.now() - arrival) / 1_000);
    });
  }
}

function exactExpress(): Express {
  const app = express();
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.disable('x-powered-by');
  return app;
}
