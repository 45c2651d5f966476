import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.js';

// 0x21 to 0x7E without " and \, in double quotes or bare. A header that is sent twice arrives joined
// by a comma and a space, which is neither.
const KEY = /^(?:"([!#-[\]-~]{1,255})"|([!#-[\]-~]{1,255}))$/;

/**
 * The `Idempotency-Key` of the request (draft-ietf-httpapi-idempotency-key-header), without quotes;
 * undefined where none is sent.
 *
 * @throws Problem `invalid-request`
 */
export function idempotencyKeyOf({ headers }: IncomingMessage): string | undefined {
  const header = headers['idempotency-key'];
  if (header === undefined) return undefined;
  const match = KEY.exec(String(header));
  if (match === null) {
    throw new Problem(
      'invalid-request',
      'The Idempotency-Key is not one key of 1 to 255 visible ASCII characters without " and \\, bare or in double quotes.',
    );
  }
  return match[1] ?? match[2];
}
