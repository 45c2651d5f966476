import { createServer, type IncomingMessage, type ServerOptions, type ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
// Not from the package as a whole, which brings uploads with it: 25 ms of a start.
import { ExpressAdapter } from '@nestjs/platform-express/adapters/express-adapter.js';
import express, { type Express, type Request, type Response } from 'express';
import { answerProblem } from './answer.js';
import { refuseBytes } from './client-error.js';
import { expressMessages } from './express-messages.js';
import { framingFault, unknownExpectation } from './framing.js';
import type { ServerSettings } from './server-settings.js';

const SERVER_OPTIONS: ServerOptions = {
  // Node looks at its time limits only this often, in milliseconds; its default is 30 s.
  connectionsCheckingInterval: 1_000,
  // A header that is sent twice is seen as twice, where Node would take the first of some.
  joinDuplicateHeaders: true,
  // Judged in framing.ts, so that the refusal is a problem.
  requireHostHeader: false,
};

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

  constructor(private readonly settings: ServerSettings) {
    super(exactExpress());
    // The one layer that Nest has put there by now calls hooks around requests, which nothing here sets. It
    // takes 1 to 2 µs of each request.
    this.getInstance<Express>().router.stack.length = 0;
  }

  observeAnswers(observer: AnswerObserver): void {
    this.observer = observer;
  }

  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    const { maxConnections, ...timeouts } = this.settings;
    const serve = (request: IncomingMessage, response: ServerResponse): void => {
      this.observe(request as Request, response as Response);
      if (!this.httpServer.listening) response.setHeader('Connection', 'close');
      const fault = framingFault(request);
      if (fault === undefined) app(request, response);
      else answerProblem(response, fault, (request as Request).path);
    };
    const server = createServer({ ...SERVER_OPTIONS, ...timeouts, ...expressMessages(app) }, serve);
    // Not invited by Node at once: `json-body.ts` does, when nothing is left that would refuse the body unread.
    server.on('checkContinue', serve);
    server.on('checkExpectation', (request, response) => {
      answerProblem(response, unknownExpectation(), (request as Request).path);
    });
    server.on('clientError', refuseBytes);
    server.maxConnections = maxConnections;
    // All of them count, else those after the 2,000th are dropped in silence. Their size is bounded.
    server.maxHeadersCount = 0;
    this.httpServer = server;
  }

  /**
   * Takes no new connections, and resolves when the last one is gone and every request was observed.
   * Node closes those that are idle at this moment only: a client that keeps one busy would keep the
   * process from ending.
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
