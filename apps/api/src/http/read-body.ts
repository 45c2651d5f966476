import type { IncomingMessage } from 'node:http';

/** The body is larger than it may be; what is left of it is read and thrown away. */
export class BodyTooLarge extends Error {}

/** The connection was gone before the end of the body. */
export class BodyBrokenOff extends Error {}

/** Pieces of a body that are kept apart, at most: one in chunks of a byte would else take a hundred times its size. */
const MAX_PIECES = 64;

/**
 * Reads the body of a request into one buffer.
 *
 * @param limit bytes that it may have
 * @throws BodyTooLarge, BodyBrokenOff
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let pieces: Buffer[] = [];
    let length = 0;
    const take = (piece: Buffer): void => {
      length += piece.length;
      if (length > limit) return stop();
      pieces.push(piece);
      if (pieces.length === MAX_PIECES) pieces = [Buffer.concat(pieces)];
    };
    const end = (): void => resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
    // Emitted after the end too, where it changes nothing.
    const close = (): void => reject(new BodyBrokenOff());
    const stop = (): void => {
      // Without listeners the stream stops, and what follows on the connection comes only after the rest of this body.
      request.off('data', take).off('end', end).resume();
      reject(new BodyTooLarge());
    };
    // The client was gone before anyone read it, even if all of it had come.
    if (request.destroyed) return close();
    request.on('data', take).once('end', end).once('close', close);
  });
}
