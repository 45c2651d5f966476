import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { COMMON_HEADERS } from './express-messages.js';
import { type Problem, problemReply } from './problem.js';
import { flatten } from './reply.js';
import { pathOf, REQUEST_ID_HEADER } from './request.js';

/**
 * The last response of a connection, as it is written to the socket.
 *
 * @param request undefined for bytes outside a request
 */
export function rawProblem(problem: Problem, requestId: string, request: IncomingMessage | undefined): string {
  const { status, parts } = problemReply(problem, request === undefined ? '' : pathOf(request));
  const { type, body = '', headers } = parts;
  const length = String(Buffer.byteLength(body));
  const all = flatten({ 'Content-Type': type!, 'Content-Length': length, ...headers });
  all.push('Date', new Date().toUTCString(), 'Connection', 'close', ...COMMON_HEADERS, REQUEST_ID_HEADER, requestId);
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`];
  for (let index = 0; index < all.length; index += 2) lines.push(`${all[index]}: ${all[index + 1]}`);
  // A response to HEAD has no content (RFC 9110 §9.3.2).
  return `${lines.join('\r\n')}\r\n\r\n${request?.method === 'HEAD' ? '' : body.toString()}`;
}
