import { randomUUID } from 'node:crypto';
import { maxHeaderSize, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { PROBLEM_TYPE } from './answer.js';
import { COMMON_HEADERS } from './express-messages.js';
import { Problem } from './problem.js';
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.js';

/** Milliseconds in which a client may read why it is refused before the connection is gone. */
const LINGER = 500;

/** A connection, and the answer that it is about to carry, which Node keeps on it. */
type Connection = Duplex & { _httpMessage?: ServerResponse | null };

/**
 * Refuses what is no request: too slow, too large, or not HTTP. It listens to the server's
 * `clientError`, where nothing but the connection is left to answer on. Which path was meant is not
 * known, so `instance` is the empty reference.
 */
export function refuseBytes(error: NodeJS.ErrnoException, connection: Connection): void {
  // What a refused client goes on sending comes through here again.
  if (connection.writableEnded) return;
  if (!connection.writable || error.code === 'ECONNRESET') {
    connection.destroy();
    return;
  }
  const { _httpMessage: pending } = connection;
  if (pending?.req.complete) {
    // The fault is in what came after a whole request: that one gets its own answer, never this one.
    pending.once('close', () => connection.destroy());
  } else if (pending) {
    if (!pending.headersSent) connection.write(rawAnswer(problemOf(error), requestIdOf(pending)));
    // At once: were the rest of the body to arrive now, its handler would act on it.
    connection.destroy();
  } else {
    connection.end(rawAnswer(problemOf(error), randomUUID()));
    // To close on a client that still sends would reset the connection, and take the answer from it.
    connection.resume();
    setTimeout(() => connection.destroy(), LINGER).unref();
  }
}

/** By the code that Node gives its error; all other codes are those of malformed bytes. */
const problems: Record<string, Problem> = {
  ERR_HTTP_REQUEST_TIMEOUT: new Problem('request-timeout', 'The request was not there as a whole in time.'),
  HPE_HEADER_OVERFLOW: new Problem('headers-too-large', `The headers are larger than ${maxHeaderSize} bytes.`),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new Problem('payload-too-large', 'The extensions of a chunk are too large.'),
};
const malformed = new Problem('invalid-request', 'What arrived is not HTTP/1.1.');

function problemOf({ code = '' }: NodeJS.ErrnoException): Problem {
  return problems[code] ?? malformed;
}

function rawAnswer(problem: Problem, requestId: string): string {
  const body = JSON.stringify(problem.toDto(''));
  const headers = ['Content-Type', PROBLEM_TYPE, 'Content-Length', String(Buffer.byteLength(body))];
  headers.push(
    'Date',
    new Date().toUTCString(),
    'Connection',
    'close',
    ...COMMON_HEADERS,
    REQUEST_ID_HEADER,
    requestId,
  );
  const lines = [`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`];
  for (let index = 0; index < headers.length; index += 2) lines.push(`${headers[index]}: ${headers[index + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
