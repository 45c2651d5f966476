import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Whether a cut loses the request, or the response of a request that the server has received. */
export type Cut = 'before-request' | 'before-response';

/** A proxy in front of one port that can cut connections, hang, and lead to another server. */
export class TcpProxy {
  private readonly sockets = new Set<Socket>();
  private armed: Cut | undefined;
  private isHanging = false;
  /** Chunks from the server until it hangs. */
  private allowance = Number.POSITIVE_INFINITY;
  cuts = 0;

  private constructor(
    private readonly listener: Server,
    private target: number,
  ) {}

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

  /** Ends the next connection that sends data in the direction of `cut`, on both sides. */
  cutNext(cut: Cut): void {
    this.armed = cut;
  }

  disarm(): void {
    this.armed = undefined;
  }

  /** Forwards nothing, on new connections too, until {@link goOn}. */
  hang(): void {
    this.isHanging = true;
    this.hangOpen();
  }

  /** Forwards nothing on the open connections, like a network that has forgotten them. */
  hangOpen(): void {
    for (const socket of this.sockets) socket.pause();
  }

  /** Hangs after this number of chunks from the server, over all connections. */
  hangAfter(chunks: number): void {
    this.allowance = chunks;
  }

  goOn(): void {
    this.isHanging = false;
    this.allowance = Number.POSITIVE_INFINITY;
    for (const socket of this.sockets) socket.resume();
  }

  /** Cuts open connections and leads to another server, like a load balancer that found a new primary. */
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
