import type { ServerResponse } from 'node:http';
import fresh from 'fresh';

export const JSON_TYPE = 'application/json';
export const PROBLEM_TYPE = 'application/problem+json';

/** A complete response, which a handler returns and `HttpAdapter.reply` sends. */
export class Reply {
  /**
   * @param contentType undefined for a response without content, such as 204 and 304
   * @param headers further ones, names and values in turn
   */
  constructor(
    readonly status: number,
    readonly contentType: string | undefined,
    readonly body: string | Buffer,
    readonly headers: readonly string[] = [],
  ) {}
}

/**
 * The representation, or 304 if the caller has it already.
 *
 * @param etag of the body
 * @param ifNoneMatch the ETags that the caller has (RFC 9110 §13.1.2)
 * @param headers further ones of the representation, names and values in turn
 */
export function conditionalReply(
  contentType: string,
  body: string | Buffer,
  etag: string,
  ifNoneMatch: string | undefined,
  headers: readonly string[] = [],
): Reply {
  // Not Express's `request.fresh`: that lets `Cache-Control: no-cache` win, which `fetch` adds to
  // every conditional request. RFC 9110 §13.1.2 has no such exception.
  const isKnown = ifNoneMatch !== undefined && fresh({ 'if-none-match': ifNoneMatch }, { etag });
  const own = ['ETag', etag];
  return isKnown ? new Reply(304, undefined, '', own) : new Reply(200, contentType, body, [...own, ...headers]);
}

/** Sends a reply. Not with Express's `res.send`, which adds its own `ETag` and a `charset` to the content type. */
export function send(response: ServerResponse, { status, contentType, body, headers }: Reply): void {
  if (contentType === undefined) {
    response.writeHead(status, [...headers]).end();
    return;
  }
  const length = Buffer.byteLength(body);
  response.writeHead(status, ['Content-Type', contentType, 'Content-Length', String(length), ...headers]);
  // Of text that waits to be sent, Node counts characters: `writableLength` has to be what is held.
  response.end(typeof body === 'string' && length > body.length ? Buffer.from(body) : body);
}

/** `Allow` of a page that is only read. */
export const PAGE_METHODS = 'GET, HEAD, OPTIONS';

/**
 * Headers of a page. It gets scripts, styles and requests of this service only, inline images, no frame around it (Content
 * Security Policy, Level 3) and no device; no page of another origin gets hold of its window.
 *
 * @param styles the directives for styles
 */
export function pageHeaders(styles = "style-src 'self'"): Record<string, string> {
  const fetched = `script-src 'self'; ${styles}; img-src 'self' data:; connect-src 'self'`;
  const policy = `default-src 'none'; ${fetched}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return {
    'Content-Security-Policy': policy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  };
}
