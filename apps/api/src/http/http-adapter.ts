import { createServer, IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express } from 'express';

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

/** Nest on Express, with exact paths and a server that waits for nobody for long. */
export class HttpAdapter extends ExpressAdapter {
  constructor() {
    super(exactExpress());
  }

  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    this.httpServer = createServer({ ...SERVER_BOUNDS, ...bornForExpress(app) }, app);
    this.httpServer.maxConnections = MAX_CONNECTIONS;
    this.httpServer.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
      if (!this.httpServer.listening) response.setHeader('Connection', 'close');
    });
  }

  /**
   * Takes no new connections, and resolves when the last one is gone. Node closes those that are idle
   * at this moment only: a client that keeps one busy would keep the process from ending.
   */
  override async close(): Promise<void> {
    const sweep = setInterval(() => this.httpServer.closeIdleConnections(), IDLE_SWEEP);
    await super.close();
    clearInterval(sweep);
  }
}

function exactExpress(): Express {
  const app = express();
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.disable('x-powered-by');
  return app;
}

/**
 * Classes whose objects are born with the prototypes that Express gives every request and response.
 * Express sets them with `Object.setPrototypeOf`, after which V8 treats each object as a shape of its
 * own; on an object that has the prototype already, that does nothing. It is the largest single cost
 * of Express (docs/performance.md has the figures).
 */
function bornForExpress(app: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {}
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  Object.assign(app, { request: ExpressRequest.prototype, response: ExpressResponse.prototype });
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}
