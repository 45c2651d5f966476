/** Requests and responses of `node:http`. */

import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { OutgoingRequest } from './exchange.js';

const MEBIBYTE = 1_048_576;

/** Sends the body of a request, and ends the request unless it is unfinished. */
export function write(outgoing: ClientRequest, { body, chunked, unfinished }: OutgoingRequest): void {
  if (chunked === true) {
    outgoing.setHeader('transfer-encoding', 'chunked');
  } else if (body === undefined && !outgoing.headersSent) {
    outgoing.removeHeader('content-length');
    outgoing.removeHeader('transfer-encoding');
  } else if (body !== undefined && !outgoing.hasHeader('content-length')) {
    outgoing.setHeader('content-length', Buffer.byteLength(body));
  }
  if (unfinished !== true) {
    outgoing.end(body);
    return;
  }
  outgoing.flushHeaders();
  if (body !== undefined && body.length > 0) outgoing.write(body);
}

/** @throws Error if the connection ends without a response. Node reports an unwanted 101 as such an end. */
export function responseTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject);
    outgoing.once('close', () => reject(new Error('the connection ended without a response')));
  });
}

/** Reads a stream to its end, into `chunks`. @throws Error beyond `maxMebibytes`, after destroying the stream */
export async function readAll(stream: Readable, maxMebibytes: number, chunks: Buffer[] = []): Promise<Buffer> {
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxMebibytes * MEBIBYTE) throw new Error(`longer than ${maxMebibytes} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
