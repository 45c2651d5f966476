import type { ServerResponse } from 'node:http';
import fresh from 'fresh';

export const JSON_TYPE = 'application/json';
export const PROBLEM_TYPE = 'application/problem+json';

type Headers = Readonly<Record<string, string>>;

/** A complete response, which a handler returns and `HttpAdapter.reply` sends. */
export class Reply {
  /**
   * @param contentType undefined for a response without content, such as 204 and 304
   * @param headers in addition to the type and the length of the body
   */
  constructor(
    readonly status: number,
    readonly contentType: string | undefined,
    readonly body: string | Buffer,
    readonly headers: Headers = {},
  ) {}
}

/**
 * The representation, or 304 if the caller has it already.
 *
 * @param ifNoneMatch the ETags that the caller has (RFC 9110 §13.1.2)
 */
export function conditionalReply(
  contentType: string,
  body: string | Buffer,
  etag: string,
  ifNoneMatch: string | undefined,
  headers: Headers = {},
): Reply {
  // Express's `request.fresh` lets `Cache-Control: no-cache` win, which `fetch` adds to every conditional request.
  // RFC 9110 §13.1.2 has no such exception.
  const isKnown = ifNoneMatch !== undefined && fresh({ 'if-none-match': ifNoneMatch }, { etag });
  if (isKnown) return new Reply(304, undefined, '', { ETag: etag });
  return new Reply(200, contentType, body, { ETag: etag, ...headers });
}

/** Sends a reply as it is: Express's `res.send` adds an `ETag` and a `charset` of its own. */
export function send(response: ServerResponse, { status, contentType, body, headers }: Reply): void {
  if (contentType === undefined) {
    response.writeHead(status, inTurn(headers)).end();
    return;
  }
  const length = Buffer.byteLength(body);
  response.writeHead(status, inTurn({ 'Content-Type': contentType, 'Content-Length': String(length), ...headers }));
  // `writableLength` has to count bytes: for text, Node counts characters.
  response.end(typeof body === 'string' && length > body.length ? Buffer.from(body) : body);
}

/** Names and values in turn: Node writes such a list as it is. `Object.entries` takes a tenth of a get (2026-11-25). */
export function inTurn(headers: Headers): string[] {
  const list: string[] = [];
  for (const name in headers) list.push(name, headers[name]!);
  return list;
}

/** `Allow` of a page that is only read. */
export const PAGE_METHODS = 'GET, HEAD, OPTIONS';

/**
 * Headers of a page: scripts, styles and requests of this service only, inline images, no frame around it (Content
 * Security Policy, Level 3), no device, and no access by windows of other origins.
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
