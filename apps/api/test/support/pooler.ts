import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/**
 * A port that leads to a server as a transaction pooler does: it rejects the `options` of a new session.
 *
 * @param code the SQLSTATE of the rejection
 */
export async function startPooler(url: string, code: string): Promise<{ url: string; close(): void }> {
  const server = createServer((client) => {
    client.once('data', (startup) => {
      if (startup.includes('options\0')) {
        client.end(rejection(code));
        return;
      }
      const target = connect(Number(new URL(url).port), '127.0.0.1');
      target.write(startup);
      for (const [one, other] of [
        [client, target],
        [target, client],
      ] as const) {
        one.pipe(other);
        one.on('error', () => other.destroy());
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  return { url: through.href, close: () => void server.close() };
}

/** An ErrorResponse (PostgreSQL, "Message Formats"). */
function rejection(code: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C${code}\0Munsupported startup parameter: options\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
