import { connect, createServer, type Server, type Socket } from 'node:net';
import { listen } from './listen.js';

/** Whether a cut loses the request, or only its response. */
type Cut = 'before-request' | 'before-response';

/** A proxy in front of a port: it can cut connections, hang, and lead to another server. */
export class TcpProxy {
  private readonly sockets = new Set<Socket>();
  private armed: Cut | undefined;
  private isHanging = false;
  cuts = 0;

  private constructor(
    private readonly listener: Server,
    readonly port: number,
    private target: number,
  ) {
    listener.on('connection', (client) => this.accept(client));
  }

  static async start(target: number, port = 0): Promise<TcpProxy> {
    const listener = createServer();
    const listening = await listen(listener, port);
    return new TcpProxy(listener, listening.port, target);
  }

  /** A URL of the target, with the port of the proxy in place of its own. */
  through(url: string): string {
    const proxied = new URL(url);
    proxied.port = String(this.port);
    return proxied.href;
  }

  /** Cuts the next connection that sends data in this direction. */
  cutNext(cut: Cut): void {
    this.armed = cut;
  }

  disarm(): void {
    this.armed = undefined;
  }

  /** Forwards nothing until {@link goOn}, on open and new connections. */
  hang(): void {
    this.isHanging = true;
    this.hangOpen();
  }

  /** Forwards nothing on new connections until {@link goOn}, like a proxy that accepts and is silent. */
  hangNew(): void {
    this.isHanging = true;
  }

  /** Forwards nothing on open connections, like a network that has forgotten them. */
  hangOpen(): void {
    for (const socket of this.sockets) socket.pause();
  }

  goOn(): void {
    this.isHanging = false;
    for (const socket of this.sockets) socket.resume();
  }

  /** Cuts open connections and leads to another server, like a load balancer that has found a new primary. */
  leadTo(port: number): void {
    this.target = port;
    this.cutAll();
  }

  close(): void {
    this.listener.close();
    this.cutAll();
  }

  private cutAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private accept(client: Socket): void {
    const server = connect(this.target, '127.0.0.1');
    this.forward(client, server, 'before-request');
    this.forward(server, client, 'before-response');
  }

  private forward(from: Socket, to: Socket, cut: Cut): void {
    this.sockets.add(from);
    from.setNoDelay(true);
    from.on('data', (data) => {
      if (this.armed === cut) {
        this.armed = undefined;
        this.cuts++;
        from.destroy();
        to.destroy();
      } else {
        to.write(data);
      }
    });
    from.on('end', () => to.end());
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
    if (this.isHanging) from.pause();
  }
}
