import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestHeaders, responseHeaders } from '@booking-service/contracts';
import type { Request } from 'express';
import { Problem } from './problem.js';

export function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0]!;
}

/** The query without its `?`; empty if the URL has none. */
export function queryOf({ url = '' }: IncomingMessage): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}

export interface Caller {
  /** The same for all tokens of a caller. Each id has its own idempotency keys and rate limit. */
  readonly id: string;
  /** Name for the log: that of the API key, or a hash that identifies no person. */
  readonly name: string;
}

export interface CallersRequest extends Request {
  /** Set by a guard; undefined if the request requires no token. */
  caller?: Caller;
}

export const REQUEST_ID_HEADER = 'X-Request-Id';

const { maxLength, pattern } = responseHeaders['X-Request-Id'].schema;
const ACCEPTABLE = new RegExp(pattern);
const ID = Symbol('request id');

/** The client's `X-Request-Id` if it has 1 to 128 visible ASCII characters, otherwise a new id. */
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

// The key is bare or in double quotes. A repeated header, joined by a comma and a space, does not match.
const KEY = new RegExp(requestHeaders['Idempotency-Key'].schema.pattern);

/**
 * The `Idempotency-Key` without quotes (draft-ietf-httpapi-idempotency-key-header).
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
      'The Idempotency-Key must be one key of 1 to 255 visible ASCII characters without " and \\, ' +
        'bare or in double quotes.',
    );
  }
  return key.startsWith('"') ? key.slice(1, -1) : key;
}
