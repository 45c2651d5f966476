import type { ServerResponse } from 'node:http';

export const JSON_TYPE = 'application/json';
export const PROBLEM_TYPE = 'application/problem+json';

/** What a handler returns: a whole response. `HttpAdapter.reply` sends it. */
export class Reply {
  /**
   * @param contentType undefined for a response without content, such as 204 and 304
   * @param headers further ones, names and values in turn
   */
  constructor(
    readonly status: number,
    readonly contentType: string | undefined,
    readonly body: string,
    readonly headers: readonly string[] = [],
  ) {}
}

/** Sends a reply. Not by Express's `res.send`, which adds an `ETag` of its own and a `charset` to the content type. */
export function send(response: ServerResponse, { status, contentType, body, headers }: Reply): void {
  if (contentType === undefined) {
    response.writeHead(status, [...headers]).end();
    return;
  }
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, ['Content-Type', contentType, 'Content-Length', length, ...headers]).end(body);
}
