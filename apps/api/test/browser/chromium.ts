import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where Debian, Ubuntu and Alpine have it; `TEST_CHROMIUM` is another place. */
const KNOWN_PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path of a Chromium on this machine; undefined where there is none. */
export const chromiumPath = process.env['TEST_CHROMIUM'] ?? KNOWN_PLACES.find((path) => existsSync(path));

/** A name of this machine in {@link launchChromium}: pages may do otherwise at `localhost`. */
export const HOST = 'bookings.example';

/** A headless Chromium. It has no sandbox, because it has none to offer as root, and opens pages of this service alone. */
export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ['--no-sandbox', `--host-resolver-rules=MAP ${HOST} 127.0.0.1`] });
}
