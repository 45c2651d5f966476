import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/** Starts a proxy in front of a port, which records what clients send. */
export async function startRecordingProxy(target: number): Promise<{ port: number; sent: Buffer[] }> {
  const sent: Buffer[] = [];
  const proxy = createServer((client) => {
    const server = connect(target, '127.0.0.1');
    client.on('data', (packet) => sent.push(packet));
    client
      .on('error', () => {})
      .pipe(server.on('error', () => {}))
      .pipe(client);
  }).listen(0, '127.0.0.1');
  proxy.unref();
  await once(proxy, 'listening');
  return { port: (proxy.address() as AddressInfo).port, sent };
}
