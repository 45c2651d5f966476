import { requestHeaders, responseHeaders } from '@booking-service/contracts';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from 'express';
import { Problem } from './problem.js';

/** One host and port, or nothing (RFC 9110 §7.2). Two headers arrive joined by a comma and a space. */
const HOST = /^[\w.~!$&'()*+;=%:[\]-]*$/;

/** Headers that a request may have, each with its own line: each takes about 60 bytes of heap, however short it is. */
export const MAX_HEADERS = 100;

/** Visible ASCII without a fragment, which is no part of a target (RFC 9112 §3.2.1). */
const TARGET = /^[!"$-~]*$/;

/** How a request to a proxy begins, whose form every server has to accept (RFC 9112 §3.2.2), with its authority. */
const ORIGIN = /^https?:\/\/([^/?]*)/i;

/**
 * A request target without the authority of the absolute form; `*` for OPTIONS as it is.
 *
 * @returns undefined for a target that cannot be parsed
 */
export function originForm(target: string, method: string | undefined): string | undefined {
  if (!TARGET.test(target)) return undefined;
  if (target.startsWith('/') || (target === '*' && method === 'OPTIONS')) return target;
  const [origin = '', authority = ''] = ORIGIN.exec(target) ?? [];
  if (!HOST.test(authority) || !URL.canParse(origin)) return undefined;
  const rest = target.slice(origin.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** The path of a request, as it was sent; empty for a target without one. Unlike Express's, it never throws. */
export function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0]!;
}

/** The query of a request, without its `?`; empty if there is none. */
export function queryOf({ url = '' }: IncomingMessage): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}

/**
 * What Node's parser accepts although it is not an HTTP/1.1 request, or although a proxy in front may parse it
 * differently and see another request in it (request smuggling). The connection is closed after it.
 *
 * @param request its `url` is in origin form, or empty
 */
export function framingFault({ headers, httpVersion, rawHeaders, url }: IncomingMessage): Problem | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS) {
    return new Problem('headers-too-large', `The request has more than ${MAX_HEADERS} headers.`);
  }
  const { host, expect, 'transfer-encoding': coding } = headers;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return malformed('The request is not HTTP/1.1.');
  if (host === undefined ? httpVersion === '1.1' : !HOST.test(host))
    return malformed('The request needs exactly one Host.');
  // RFC 9112 §6.1 and §7: no body in chunks before HTTP/1.1, and no other coding is known here.
  if (coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked')) {
    return malformed('The only supported Transfer-Encoding is chunked.');
  }
  if (url === '') return malformed('The request target is neither a path nor an HTTP URL.');
  // A client of HTTP/1.0 cannot expect anything (RFC 9110 §10.1.1).
  if (expect !== undefined && httpVersion === '1.1' && expect.toLowerCase() !== '100-continue') {
    return new Problem('expectation-failed');
  }
  return undefined;
}

function malformed(detail: string): Problem {
  return new Problem('invalid-request', detail);
}

/**
 * Whether a browser says that a page of another origin sends the request. It sends `Sec-Fetch-Site` over HTTPS and to
 * this machine only (Fetch Metadata §2), but `Origin` with every POST.
 */
export function isOfOtherOrigin({ headers }: IncomingMessage): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && origin.replace(/^https?:\/\//, '') !== host;
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
  return (response[ID] ??= givenId(response) ?? randomUUID());
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
