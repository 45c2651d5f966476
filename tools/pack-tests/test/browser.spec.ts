import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';
import { programOf, project, run, serviceUrl } from './support/consumer.js';
import { PreviewServer } from './support/preview-server.js';

const chromiums = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = process.env['TEST_CHROMIUM'] ?? chromiums.find((path) => existsSync(path));
if (executablePath === undefined) {
  process.stderr.write('There is no Chromium, so the page is built, but not run. TEST_CHROMIUM can name one.\n');
}

const root = project('vite');
const vite = programOf('vite');

/** What the program of the page leaves for this test. */
interface Page {
  book(room: string): Promise<unknown>;
}

describe('A page that uses the installed packages', () => {
  let server: PreviewServer | undefined;
  let browser: Browser | undefined;

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it('type-checks with `bundler` resolution and the types of a browser', async () => {
    expect(await run([programOf('typescript', 'tsc')], root)).toEqual({ code: 0, printed: '' });
  });

  it('is bundled by Vite', async () => {
    expect(await run([vite, 'build', '--logLevel', 'warn'], root)).toEqual({ code: 0, printed: '' });
  });

  (executablePath === undefined ? it.skip : it)(
    'books a room in Chromium, is rejected the second time, and lists what it booked',
    async () => {
      server = await PreviewServer.start(vite, root, { SERVICE_URL: serviceUrl });
      // Chromium has no sandbox for root.
      browser = await chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox'], timeout: 60_000 });
      const page = await browser.newPage();
      await page.goto(server.url);
      await page.waitForFunction(() => 'book' in globalThis);
      const outcome = await page.evaluate(() => (globalThis as unknown as Page).book('room-in-chromium'));
      expect(outcome).toEqual({
        isSame: true,
        rejected: { type: 'urn:problem-type:bookings:slot-taken', status: 409, promised: 409 },
        heldFrom: '2026-12-01T09:00:00.000Z',
        guests: ['Ada'],
        hasRequestId: true,
      });
      const listed: unknown = await (await fetch(`${serviceUrl}/v1/bookings?resource_id=room-in-chromium`)).json();
      expect(listed).toMatchObject({ bookings: [{ guest: 'Ada' }], next_cursor: null });
    },
  );
});
