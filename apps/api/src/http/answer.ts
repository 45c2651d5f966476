import type { ServerResponse } from 'node:http';
import { addBody } from './node-head.js';
import type { Problem } from './problem.js';

/**
 * Sends a whole answer. Neither Express's ETag nor its guess of a content type is wanted, so `res.send` is not used.
 *
 * @param headers further ones, names and values in turn
 */
export function answer(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string,
  headers: readonly string[] = [],
): void {
  const length = Buffer.byteLength(body);
  response.writeHead(status, ['Content-Type', contentType, 'Content-Length', String(length), ...headers]);
  // Middleware that puts an `end` of its own into the response, as to compress, is given the body.
  const isSentAsItIs = response.req.method !== 'HEAD' && !Object.hasOwn(response, 'end');
  if (length === body.length && isSentAsItIs) {
    // Of ASCII alone: one string with its head is one write. Node's `end(body)` makes two, for which it takes
    // a buffer of three times their size: 3 µs of a booking, 5 µs of a page.
    addBody(response, body);
    response.end();
  } else {
    response.end(body);
  }
}

export const JSON_TYPE = 'application/json';
export const PROBLEM_TYPE = 'application/problem+json';

/** @param instance the path of the request */
export function answerProblem(response: ServerResponse, problem: Problem, instance: string): void {
  const headers = Object.entries(problem.extras.headers ?? {}).flat();
  answer(response, problem.status, PROBLEM_TYPE, JSON.stringify(problem.toDto(instance)), headers);
}
