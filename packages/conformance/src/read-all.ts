import type { Readable } from 'node:stream';

/** Maximum bytes of what a service sends; a page of bookings has about 1 MiB. */
const MAX_BYTES = 8 * 1_048_576;

/** The bytes of a stream, which is destroyed beyond 8 MiB. @throws Error beyond it */
export async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error('longer than 8 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
