import { requestHeaders, responseHeaders } from '@booking-service/contracts';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem } from './problem.js';

export const REQUEST_ID_HEADER = 'X-Request-Id';

const { maxLength, pattern } = responseHeaders['X-Request-Id'].schema;
const ACCEPTABLE = new RegExp(pattern);
const ID = Symbol('request id');

/** The id of the request that is answered: the caller's `X-Request-Id`, if it is 1 to 128 visible ASCII characters, else a new one. */
export function requestIdOf(response: ServerResponse & { [ID]?: string | undefined }): string {
  response[ID] ??= givenId(response) ?? randomUUID();
  return response[ID];
}

function givenId({ req: { headers } }: ServerResponse): string | undefined {
  const given = headers['x-request-id'];
  return typeof given === 'string' && given.length <= maxLength && ACCEPTABLE.test(given) ? given : undefined;
}

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
