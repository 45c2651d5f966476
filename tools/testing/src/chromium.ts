import { existsSync } from 'node:fs';

/** Paths of Chromium on Debian, Ubuntu, Alpine and GitHub's runners. */
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser for the tests, named by `TEST_CHROMIUM` or installed; undefined if there is none. */
export const chromiumPath = process.env['TEST_CHROMIUM'] ?? PLACES.find((path) => existsSync(path));

/** The patterns for `testPathIgnorePatterns`; none if Chromium is installed. @throws Error in CI if it is not */
export function withoutChromium(what: string, ...patterns: string[]): string[] {
  if (chromiumPath !== undefined) return [];
  const text = `NOT RUN: ${what}. Install Chromium (apt-get install chromium), or name one with TEST_CHROMIUM.\n`;
  if (process.env['CI']) throw new Error(text);
  process.stderr.write(text);
  return patterns;
}
