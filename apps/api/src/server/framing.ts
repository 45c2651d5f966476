import type { IncomingMessage } from 'node:http';
import type { Rejection } from './rejection.js';

/** Matches at most one host and port (RFC 9110 §7.2). Repeated headers, joined by a comma and a space, do not match. */
const HOST = /^[\w.~!$&'()*+;=%:[\]-]*$/;

/** Maximum header lines of a request; each takes at least 60 bytes of heap. */
export const MAX_HEADERS = 100;

/** Visible ASCII without `#`: a target has no fragment (RFC 9112 §3.2.1). */
const TARGET = /^[!"$-~]*$/;

/** Scheme and authority of the absolute form, which every server must accept (RFC 9112 §3.2.2). */
const AUTHORITY = /^https?:\/\/([^/?]*)/i;

/**
 * The path and query of a request target; the `*` of `OPTIONS *` is kept.
 *
 * @returns undefined for a target that cannot be parsed
 */
export function originForm(target: string, method: string | undefined): string | undefined {
  if (!TARGET.test(target)) return undefined;
  if (target.startsWith('/') || (target === '*' && method === 'OPTIONS')) return target;
  const [origin = '', authority = ''] = AUTHORITY.exec(target) ?? [];
  if (!HOST.test(authority) || !URL.canParse(origin)) return undefined;
  const rest = target.slice(origin.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * Finds a fault that Node's parser tolerates: too many headers, an unknown expectation, or something that HTTP/1.1
 * forbids or a proxy could read differently (request smuggling).
 *
 * @param request with its `url` in origin form; empty if the target could not be parsed
 */
export function framingFault({ headers, httpVersion, rawHeaders, url }: IncomingMessage): Rejection | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS) {
    return { type: 'headers-too-large', detail: `The request has more than ${MAX_HEADERS} headers.` };
  }
  const { host, expect, 'transfer-encoding': coding } = headers;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return malformed('The request is not HTTP/1.1.');
  const isHostValid = host === undefined ? httpVersion === '1.0' : HOST.test(host);
  if (!isHostValid) return malformed('The request needs exactly one Host.');
  // HTTP/1.0 has no chunked bodies (RFC 9112 §6.1).
  if (coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked')) {
    return malformed('The only supported Transfer-Encoding is chunked.');
  }
  if (url === '') return malformed('The request target is neither a path nor an HTTP URL.');
  // Expectations in HTTP/1.0 requests are ignored (RFC 9110 §10.1.1).
  if (expect !== undefined && httpVersion === '1.1' && expect.toLowerCase() !== '100-continue') {
    return { type: 'expectation-failed' };
  }
  return undefined;
}

function malformed(detail: string): Rejection {
  return { type: 'invalid-request', detail };
}
