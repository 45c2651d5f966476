import type { ServerResponse } from 'node:http';

/** Sends a whole answer. Neither Express's ETag nor its guess of a content type is wanted, so `res.send` is not used. */
export function answer(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.statusCode = status;
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
}

export const JSON_TYPE = 'application/json';
export const PROBLEM_TYPE = 'application/problem+json';
