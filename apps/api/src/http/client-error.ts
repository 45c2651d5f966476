import { maxHeaderSize, STATUS_CODES } from 'node:http';
import { COMMON_HEADERS } from './express-messages.js';
import { Problem } from './problem.js';
import { REQUEST_ID_HEADER } from './request-head.js';

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

/** Whether the client ended its side in the middle of a request. */
export function isBrokenOff({ code }: NodeJS.ErrnoException): boolean {
  return code === 'HPE_INVALID_EOF_STATE';
}

/** What is known of the request that a raw response belongs to. */
export interface RawContext {
  readonly requestId: string;
  /** Its path; empty if it was not read. */
  readonly instance: string;
  /** A response to HEAD has no content (RFC 9110 §9.3.2). */
  readonly isHead: boolean;
}

/** A problem as bytes, for a connection that has no response object and is closed after it. */
export function rawProblem(problem: Problem, { requestId, instance, isHead }: RawContext): string {
  const { status, contentType, body, headers } = problem.toReply(instance);
  const all = ['Content-Type', contentType!, 'Content-Length', String(Buffer.byteLength(body)), ...headers];
  all.push('Date', new Date().toUTCString(), 'Connection', 'close', ...COMMON_HEADERS, REQUEST_ID_HEADER, requestId);
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`];
  for (let index = 0; index < all.length; index += 2) lines.push(`${all[index]}: ${all[index + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n${isHead ? '' : body.toString()}`;
}
