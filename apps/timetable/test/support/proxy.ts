import { once } from 'node:events';
import { createServer, type IncomingMessage, request as send, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What happens to a request: it passes, its connection is cut, or it gets this response. */
export type Treatment = 'pass' | 'cut' | { status: number; headers?: Record<string, string> };

/** A proxy between the page and the service, which can be slow, fail, limit and die. */
export class Proxy {
  /** Decides about each request under `/v1`; a promise delays it. */
  treat: (request: IncomingMessage) => Treatment | Promise<Treatment> = () => 'pass';
  /** `GET /v1/bookings?...` and so on, in the order in which they arrived. */
  readonly requests: string[] = [];

  private constructor(
    private readonly server: Server,
    public target: string,
  ) {}

  static async start(target: string): Promise<Proxy> {
    const server = createServer();
    const proxy = new Proxy(server, target);
    server.on('request', (request, response) => void proxy.forward(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Delays requests until the returned function is called. */
  hold(which: (request: IncomingMessage) => boolean = () => true): () => void {
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    this.treat = async (request): Promise<Treatment> => {
      if (which(request)) await released;
      return 'pass';
    };
    return release;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    if (url.startsWith('/v1')) this.requests.push(`${method} ${url}`);
    const treatment = url.startsWith('/v1') ? await this.treat(request) : 'pass';
    if (treatment === 'cut') {
      // After a part of it: a browser sends a GET again whose response has not begun.
      response.writeHead(200, { 'Content-Length': '100' }).write('{', () => response.destroy());
    } else if (treatment === 'pass') {
      const through = send(this.target + url, { method, headers: request.headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      through.on('error', () => response.destroy());
      request.pipe(through);
    } else {
      response.writeHead(treatment.status, treatment.headers).end();
    }
  }
}
