import type { IncomingMessage } from 'node:http';
import { requestHeaders } from '@booking-service/contracts';
import { Problem } from './problem.js';

// In double quotes or bare. A header that is sent twice arrives joined by a comma and a space, which is neither.
const KEY = new RegExp(requestHeaders['Idempotency-Key'].schema.pattern);

/**
 * The `Idempotency-Key` of the request (draft-ietf-httpapi-idempotency-key-header), without quotes;
 * undefined where none is sent.
 *
 * @throws Problem `invalid-request`
 */
export function idempotencyKeyOf({ headers }: IncomingMessage): string | undefined {
  const header = headers['idempotency-key'];
  if (header === undefined) return undefined;
  const key = String(header);
  if (!KEY.test(key)) {
    throw new Problem(
      'invalid-request',
      'The Idempotency-Key is not one key of 1 to 255 visible ASCII characters without " and \\, bare or in double quotes.',
    );
  }
  return key.startsWith('"') ? key.slice(1, -1) : key;
}
