import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.js';
import { HOST, originForm } from './target.js';

/**
 * What Node's parser lets pass although it is not a request of HTTP/1.1, or although a proxy before it may read
 * it otherwise and so take another request out of it (request smuggling). The connection is closed behind it.
 */
export function framingFault({ headers, httpVersion, method, url }: IncomingMessage): Problem | undefined {
  const { host, expect, 'transfer-encoding': coding } = headers;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return malformed('The request is not one of HTTP/1.1.');
  if (host === undefined ? httpVersion === '1.1' : !HOST.test(host)) return malformed('There is not exactly one Host.');
  // RFC 9112 §6.1 and §7: no body in chunks before HTTP/1.1, and no other coding is known here.
  if (coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked')) {
    return malformed('The Transfer-Encoding is not chunked alone.');
  }
  if (originForm(url!, method) === undefined)
    return malformed('The request target is not a path, nor a URL with http.');
  // A client of HTTP/1.0 cannot expect anything (RFC 9110 §10.1.1).
  if (expect !== undefined && httpVersion === '1.1' && expect.toLowerCase() !== '100-continue') {
    return new Problem('expectation-failed');
  }
  return undefined;
}

/** Whether nothing that follows on the connection is a request (RFC 9112 §9.3). */
export function isLast({ headers: { connection = '', upgrade }, httpVersionMinor }: IncomingMessage): boolean {
  // Node's parser stops behind a request with `Upgrade`, which is not followed here (RFC 9110 §7.8).
  if (upgrade !== undefined) return true;
  return httpVersionMinor === 0 ? !/\bkeep-alive\b/i.test(connection) : /\bclose\b/i.test(connection);
}

function malformed(detail: string): Problem {
  return new Problem('invalid-request', detail);
}
