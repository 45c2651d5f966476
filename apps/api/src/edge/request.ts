import { requestHeaders, responseHeaders } from '@booking-service/contracts';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from 'express';
import { Problem } from './problem.js';

/** The path of a request, as it was sent; empty for a target without one. Unlike Express's, it never throws. */
export function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0]!;
}

/** The query of a request, without its `?`; empty if there is none. */
export function queryOf({ url = '' }: IncomingMessage): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}

/** The holder of a request's token. */
export interface Caller {
  /** The same for every token of one caller, and never that of another: keys and rates are kept apart by it. */
  readonly id: string;
  /** For the log: it distinguishes callers, and identifies no person. */
  readonly name: string;
}

export interface CallersRequest extends Request {
  /** Set by a guard; undefined if the service requires no token. */
  caller?: Caller;
}

export const REQUEST_ID_HEADER = 'X-Request-Id';

const { maxLength, pattern } = responseHeaders['X-Request-Id'].schema;
const ACCEPTABLE = new RegExp(pattern);
const ID = Symbol('request id');

/** The id of a request: the caller's `X-Request-Id`, if it is 1 to 128 visible ASCII characters, else a new one. */
export function requestIdOf(response: ServerResponse & { [ID]?: string | undefined }): string {
  return (response[ID] ??= givenId(response) ?? newRequestId());
}

export function newRequestId(): string {
  return randomUUID();
}

function givenId({ req: { headers } }: ServerResponse): string | undefined {
  const given = headers['x-request-id'];
  return typeof given === 'string' && given.length <= maxLength && ACCEPTABLE.test(given) ? given : undefined;
}

// In double quotes or bare. A header that is sent twice arrives joined by a comma and a space, which is neither.
const KEY = new RegExp(requestHeaders['Idempotency-Key'].schema.pattern);

/**
 * The `Idempotency-Key` of the request (draft-ietf-httpapi-idempotency-key-header), without quotes;
 * undefined if none is sent.
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
      'The Idempotency-Key must be one key of 1 to 255 visible ASCII characters without " and \\, bare or in double quotes.',
    );
  }
  return key.startsWith('"') ? key.slice(1, -1) : key;
}
