import { once } from 'node:events';
import { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

export interface Listening {
  readonly port: number;
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Cuts the connections of an HTTP server, and waits for others to end. */
  readonly close: () => Promise<void>;
}

/** Starts a server on 127.0.0.1. @param port by default a free one */
export async function listen(server: Server, port = 0): Promise<Listening> {
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const address = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.close();
    if (server instanceof HttpServer) server.closeAllConnections();
    await once(server, 'close');
  };
  return { port: address.port, url: `http://127.0.0.1:${address.port}`, close };
}
