import { Reply } from './reply.js';

export const PAGE_METHODS = 'GET, HEAD, OPTIONS';

/**
 * Headers of a page: it loads only from this service, neither has nor is a frame (Content Security Policy Level 3),
 * uses no camera, microphone or location, and is cut off from windows of other origins.
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

/** A redirect to a relative URL, which also works behind a proxy that strips a prefix. */
export function redirect(status: 302 | 308, location: string): Reply {
  // Node would announce chunks (`Transfer-Encoding`) without a length, although there is no content.
  return new Reply(status, { headers: { Location: location, 'Content-Length': '0' } });
}
