import { connect } from 'node:net';

/**
 * Writes bytes to a new connection, and reads until the service closes it.
 *
 * @param options.halfClose says right after the bytes that no more will come
 */
export function untilClosed(url: string, bytes: string, { halfClose = false } = {}): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.setTimeout(5_000, () => socket.destroy(new Error('still open after 5 s')));
    socket.once('error', reject);
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    socket.once('close', () => resolve(received));
    socket.write(bytes);
    if (halfClose) socket.end();
  });
}
