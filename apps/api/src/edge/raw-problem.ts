import { type IncomingMessage, maxHeaderSize, STATUS_CODES } from 'node:http';
import { COMMON_HEADERS } from './express-messages.js';
import { type Fault, Problem, problemReply } from './problem.js';
import { inTurn } from './reply.js';
import { pathOf, REQUEST_ID_HEADER } from './request.js';

/** By the code of Node's error; every other code means malformed bytes. */
const clientProblems: Record<string, Problem> = {
  ERR_HTTP_REQUEST_TIMEOUT: new Problem('request-timeout'),
  HPE_HEADER_OVERFLOW: new Problem('headers-too-large', `The headers are larger than ${maxHeaderSize} bytes.`),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new Problem('payload-too-large', 'The chunk extensions are too large.'),
};
const malformed = new Problem('invalid-request', 'The data received is not HTTP/1.1.');

/** The problem with bytes that Node cannot parse as a request. */
export function clientProblem({ code = '' }: NodeJS.ErrnoException): Problem {
  return clientProblems[code] ?? malformed;
}

/**
 * A problem as bytes, for a connection that is closed after it.
 *
 * @param request the one that it belongs to; undefined if what arrived was not a request
 */
export function rawProblem(problem: Fault, requestId: string, request: IncomingMessage | undefined): string {
  const { status, contentType, body, headers } = problemReply(problem, request === undefined ? '' : pathOf(request));
  const length = String(Buffer.byteLength(body));
  const all = inTurn({ 'Content-Type': contentType!, 'Content-Length': length, ...headers });
  all.push('Date', new Date().toUTCString(), 'Connection', 'close', ...COMMON_HEADERS, REQUEST_ID_HEADER, requestId);
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`];
  for (let index = 0; index < all.length; index += 2) lines.push(`${all[index]}: ${all[index + 1]}`);
  // A response to HEAD has no content (RFC 9110 §9.3.2).
  return `${lines.join('\r\n')}\r\n\r\n${request?.method === 'HEAD' ? '' : body.toString()}`;
}
