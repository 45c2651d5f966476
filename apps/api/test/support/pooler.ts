import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';
import { listen } from 'testing';

/** How a transaction pooler treats `options`: it rejects them with a SQLSTATE, or drops them. */
export type OptionsAre = 'dropped' | '08P01' | '0A000';

export async function startPooler(url: string, optionsAre: OptionsAre): Promise<{ url: string; close(): void }> {
  const server = createServer((client) => {
    client.once('data', (startup) => {
      if (startup.includes('options\0') && optionsAre !== 'dropped') {
        client.end(rejection(optionsAre));
        return;
      }
      const target = connect(Number(new URL(url).port), '127.0.0.1');
      target.write(withoutOptions(startup));
      pipeline(client, target, client, () => {});
    });
  });
  const { port } = await listen(server);
  const through = new URL(url);
  through.port = String(port);
  return { url: through.href, close: () => void server.close() };
}

/** A StartupMessage (PostgreSQL, "Message Formats"). */
function withoutOptions(startup: Buffer): Buffer {
  const text = startup.toString('latin1').replace(/options\0[^\0]*\0/, '');
  const message = Buffer.from(text, 'latin1');
  message.writeInt32BE(message.length);
  return message;
}

/** An ErrorResponse (PostgreSQL, "Message Formats"). */
function rejection(code: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C${code}\0Munsupported startup parameter: options\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
