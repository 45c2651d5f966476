import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

export const REQUEST_ID_HEADER = 'X-Request-Id';

const ACCEPTABLE = /^[!-~]{1,128}$/;

/** Gives every answer an `X-Request-Id`: the caller's, if it is 1 to 128 visible ASCII characters, else a new one. */
export function requestId(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const given = request.headers['x-request-id'];
  response.setHeader(REQUEST_ID_HEADER, typeof given === 'string' && ACCEPTABLE.test(given) ? given : randomUUID());
  next();
}
