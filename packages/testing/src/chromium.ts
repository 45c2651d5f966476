import { existsSync } from 'node:fs';

/** Where Debian, Ubuntu, Alpine and the runners of GitHub have it. */
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser of the tests; `TEST_CHROMIUM` names one in another place. */
export const chromiumPath = process.env['TEST_CHROMIUM'] ?? PLACES.find((path) => existsSync(path));

/**
 * For jest's `testPathIgnorePatterns`: the tests that need Chromium, where there is none. One line says so.
 *
 * @throws Error in CI, which leaves no tests out
 */
export function withoutChromium(what: string, ...patterns: string[]): string[] {
  if (chromiumPath !== undefined) return [];
  const text = `NOT RUN: ${what}. Install Chromium (apt-get install chromium), or name one with TEST_CHROMIUM.\n`;
  if (process.env['CI']) throw new Error(text);
  process.stderr.write(text);
  return patterns;
}
