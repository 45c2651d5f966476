import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

/** Where Debian, Ubuntu and Alpine have it; `TEST_CHROMIUM` is another place. */
const KNOWN_PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Starts one Chromium for all tests; without one they are skipped. It has no sandbox, because it has none to offer as root. */
export default async function startChromium() {
  const executablePath = process.env['TEST_CHROMIUM'] ?? KNOWN_PLACES.find((path) => existsSync(path));
  if (executablePath === undefined) {
    process.stderr.write(
      'Skipped: the timetable in a browser. There is no Chromium here; TEST_CHROMIUM may name one.\n',
    );
    return;
  }
  // Chromium does not run under libfaketime.
  const env = { ...process.env, LD_PRELOAD: undefined };
  globalThis.chromiumServer = await chromium.launchServer({ executablePath, args: ['--no-sandbox'], env });
  process.env['CHROMIUM_ENDPOINT'] = globalThis.chromiumServer.wsEndpoint();
}
