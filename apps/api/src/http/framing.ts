import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.js';

/** One host and port, or nothing (RFC 9110 §7.2). Two headers arrive joined by a comma and a space. */
const HOST = /^[\w.~!$&'()*+;=%:[\]-]*$/;

/**
 * What Node's parser lets pass though a proxy before it may read it otherwise, and so take another
 * request out of it (request smuggling). The connection cannot be used after it.
 */
export function framingFault({ headers, httpVersion }: IncomingMessage): Problem | undefined {
  const { host, 'transfer-encoding': coding } = headers;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return refused('The request is not one of HTTP/1.1.');
  if (host === undefined ? httpVersion === '1.1' : !HOST.test(host)) return refused('There is not exactly one Host.');
  if (coding === undefined) return undefined;
  // RFC 9112 §6.1 and §7: no body in chunks before HTTP/1.1, and no other coding is known here.
  if (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked') {
    return refused('The Transfer-Encoding is not chunked alone.');
  }
  return undefined;
}

/** For an `Expect` that is not `100-continue` (RFC 9110 §10.1.1). */
export function unknownExpectation(): Problem {
  return new Problem('expectation-failed', 'The one expectation that is met is 100-continue.', CLOSE);
}

const CLOSE = { headers: { Connection: 'close' } };

function refused(detail: string): Problem {
  return new Problem('invalid-request', detail, CLOSE);
}
