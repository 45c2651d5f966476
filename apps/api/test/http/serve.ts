import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Express, RequestHandler } from 'express';
import { listen } from 'testing';
import { HttpAdapter } from '../../src/edge/http-adapter.js';
import type { ServerSettings } from '../../src/server/bounded-server.js';

const SETTINGS: ServerSettings = {
  requestTimeout: 60_000,
  keepAliveTimeout: 60_000,
  responseTimeout: 60_000,
  maxConnections: 100,
  maxUnsentBytes: 1e9,
};

/** The server of the service with one handler and without Nest, on a free port. */
export class Serving {
  /** The server's ends of its connections. */
  readonly sockets: Socket[] = [];
  private readonly clients: Socket[] = [];

  private constructor(
    readonly adapter: HttpAdapter,
    readonly server: Server,
    private readonly port: number,
    readonly url: string,
  ) {
    server.on('connection', (socket) => this.sockets.push(socket));
  }

  static async start(handler: RequestHandler, settings: Partial<ServerSettings> = {}): Promise<Serving> {
    const adapter = new HttpAdapter({ ...SETTINGS, checkInterval: 20, ...settings });
    adapter.initHttpServer();
    adapter.getInstance<Express>().use(handler);
    const server: Server = adapter.getHttpServer();
    const { port, url } = await listen(server);
    return new Serving(adapter, server, port, url);
  }

  /** A connection that stays half open when the server ends its side. */
  async connect(): Promise<Socket> {
    const client = connect({ port: this.port, host: '127.0.0.1', allowHalfOpen: true });
    this.clients.push(client);
    client.on('error', () => {});
    await once(client, 'connect');
    while (!this.sockets.some(({ remotePort }) => remotePort === client.localPort))
      await once(this.server, 'connection');
    return client;
  }

  /** Sends bytes on a new connection, and collects what it receives. */
  async send(bytes: string): Promise<{ client: Socket; socket: Socket; received: () => string }> {
    const client = await this.connect();
    let received = '';
    client.on('data', (data: Buffer) => (received += data.toString())).write(bytes);
    return { client, socket: this.endOf(client), received: () => received };
  }

  /** The server's end of a connection. */
  endOf({ localPort }: Socket): Socket {
    return this.sockets.find(({ remotePort }) => remotePort === localPort)!;
  }

  stop(): void {
    this.server.close().closeAllConnections();
    for (const socket of [...this.sockets, ...this.clients]) socket.destroy();
  }
}
