import type { IncomingMessage } from 'node:http';

/** The body is larger than it may be; what is left of it is read and thrown away. */
export class BodyTooLarge extends Error {}

/** The connection was gone before the end of the body. */
export class BodyBrokenOff extends Error {}

/** Takes a body as Node's parser finds it, piece by piece. */
export interface BodyReader {
  take(piece: Buffer): void;
  end(): void;
  /** The client is gone. */
  breakOff(): void;
}

/** What all requests here are (express-request.ts): one that has a reader gives it its body, past the stream that it else is. */
export interface DirectRequest extends IncomingMessage {
  bodyReader: BodyReader | undefined;
}

const NO_BYTES: Buffer = Buffer.alloc(0);

/** Bytes that a body gets to grow into once it does not come in one piece. */
const FIRST_ROOM = 1_024;

/**
 * Reads the body of a request into one buffer. Pieces are copied, not kept: a body that comes in chunks
 * of one byte would else be a hundred times its size, and so would those of all connections.
 *
 * @throws BodyTooLarge, BodyBrokenOff
 */
export function readBody(request: DirectRequest, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let bytes = NO_BYTES;
    let length = 0;

    const stop = (error: Error): void => {
      request.bodyReader = undefined;
      // What follows on the connection can be read only after the rest of this body.
      request.resume();
      reject(error);
    };
    const take = (piece: Buffer): void => {
      const start = length;
      length += piece.length;
      if (length > limit) return stop(new BodyTooLarge());
      if (start === 0) return void (bytes = piece);
      if (length > bytes.length) bytes = grown(bytes.subarray(0, start), Math.min(limit, 2 * length));
      piece.copy(bytes, start);
    };
    const end = (): void => {
      request.bodyReader = undefined;
      resolve(bytes.subarray(0, length));
    };
    const breakOff = (): void => stop(new BodyBrokenOff());

    // The client was gone before anyone read it, even if all of it had come.
    if (request.destroyed) return breakOff();
    request.bodyReader = { take, end, breakOff };
    // What had come before it was asked for is in the stream, if only its end.
    while (request.readableLength > 0) take(request.read() as Buffer);
    if (request.complete) end();
  });
}

function grown(bytes: Buffer, room: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.max(room, FIRST_ROOM));
  bytes.copy(larger);
  return larger;
}
