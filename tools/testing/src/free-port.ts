import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** A port on 127.0.0.1 that was free a moment ago, for programs that cannot choose a port and report it. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
