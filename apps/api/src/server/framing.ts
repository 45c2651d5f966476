import type { IncomingMessage } from 'node:http';
import type { Rejection } from './rejection.js';

/** One host and port, or nothing (RFC 9110 §7.2). Two headers arrive joined by a comma and a space. */
const HOST = /^[\w.~!$&'()*+;=%:[\]-]*$/;

/** Headers that a request may have, each with its own line: each takes about 60 bytes of heap, however short it is. */
export const MAX_HEADERS = 100;

/** Visible ASCII without a fragment, which is no part of a target (RFC 9112 §3.2.1). */
const TARGET = /^[!"$-~]*$/;

/** Scheme and authority of an absolute target, a form that every server has to accept (RFC 9112 §3.2.2). */
const AUTHORITY = /^https?:\/\/([^/?]*)/i;

/**
 * A request target without the authority of the absolute form; `*` for OPTIONS as it is.
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
 * Rejects what Node's parser accepts although it is not an HTTP/1.1 request, or although a proxy in front may parse it
 * differently and see another request in it (request smuggling). The connection is closed after it.
 *
 * @param request its `url` is in origin form, or empty
 */
export function framingFault({ headers, httpVersion, rawHeaders, url }: IncomingMessage): Rejection | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS) {
    return { type: 'headers-too-large', detail: `The request has more than ${MAX_HEADERS} headers.` };
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
    return { type: 'expectation-failed' };
  }
  return undefined;
}

function malformed(detail: string): Rejection {
  return { type: 'invalid-request', detail };
}
