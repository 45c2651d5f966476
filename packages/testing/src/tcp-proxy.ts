import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Where a connection is cut: before the request reaches the server, or after it did and before the response goes back. */
export type Cut = 'before-request' | 'before-response';

/** A proxy in front of one port that can lose requests, lose responses, hang, and lead elsewhere. */
export class TcpProxy {
  private readonly sockets = new Set<Socket>();
  private armed: Cut | undefined;
  private isHanging = false;
  /** Data from the server that is let through before it hangs. */
  private allowance = Number.POSITIVE_INFINITY;
  cuts = 0;

  private constructor(
    private readonly listener: Server,
    private target: number,
  ) {}

  /** @param port where it listens; any free one where it is not given */
  static async start(target: number, port = 0): Promise<TcpProxy> {
    const listener = createServer();
    const proxy = new TcpProxy(listener, target);
    listener.on('connection', (client) => proxy.accept(client));
    listener.listen(port, '127.0.0.1');
    await once(listener, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.listener.address() as AddressInfo).port;
  }

  /** Has the next data that goes the way of `cut` end its connection, on both sides. */
  cutNext(cut: Cut): void {
    this.armed = cut;
  }

  disarm(): void {
    this.armed = undefined;
  }

  /** Holds everything back, new connections too, until {@link goOn}. */
  hang(): void {
    this.isHanging = true;
    this.hangOpen();
  }

  /** Holds back what goes over the connections that are open now, as a network does that has forgotten them. */
  hangOpen(): void {
    for (const socket of this.sockets) socket.pause();
  }

  /** Hangs once the server has sent so many pieces of data, over all connections. */
  hangAfter(pieces: number): void {
    this.allowance = pieces;
  }

  goOn(): void {
    this.isHanging = false;
    this.allowance = Number.POSITIVE_INFINITY;
    for (const socket of this.sockets) socket.resume();
  }

  /** Leads to another server from now on, as a load balancer that found a new primary. Open connections are cut. */
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
        if (cut === 'before-response' && --this.allowance === 0) this.hang();
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
