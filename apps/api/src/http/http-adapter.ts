import { createServer, type ServerOptions } from 'node:http';
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

/** Nest on Express, with exact paths and a server that waits for nobody for long. */
export class HttpAdapter extends ExpressAdapter {
  constructor() {
    super(exactExpress());
  }

  override initHttpServer(): void {
    this.httpServer = createServer(SERVER_BOUNDS, this.getInstance<Express>());
    this.httpServer.maxConnections = MAX_CONNECTIONS;
  }
}

function exactExpress(): Express {
  const app = express();
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.disable('x-powered-by');
  return app;
}
