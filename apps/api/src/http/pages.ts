/** What a page that is only read takes. */
export const PAGE_METHODS = 'GET, HEAD, OPTIONS';

/**
 * Content Security Policy (Level 3) of a page: scripts, styles and requests of this service alone, nothing around it,
 * and images that are written into it.
 *
 * @param styles what else may give it styles
 * @param others further directives
 */
export function pagePolicy(styles: readonly string[] = [], others: readonly string[] = []): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    ["style-src 'self'", ...styles].join(' '),
    ...others,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
