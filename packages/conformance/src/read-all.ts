import type { Readable } from 'node:stream';

const MEBIBYTE = 1_048_576;

/** The bytes of a stream. @throws Error beyond `maxMebibytes`, and destroys the stream */
export async function readAll(stream: Readable, maxMebibytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxMebibytes * MEBIBYTE) throw new Error(`longer than ${maxMebibytes} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
