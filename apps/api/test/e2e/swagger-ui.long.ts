import { type BookingDto, operations } from '@booking-service/contracts';
import { webhooks } from '@booking-service/contracts/events';
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumPath } from 'testing/chromium';
import { type Api, api } from '../support/api.js';
import { aProblem } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

/** The host in the browser, which treats `localhost` differently. */
const HOST = 'bookings.example';

describe('Swagger UI in a browser', () => {
  let running: RunningApp;
  let service: Api;
  let browser: Browser;
  let page: Page;
  let origin: string;
  const complaints: string[] = [];
  const requests: string[] = [];

  beforeAll(async () => {
    running = await startApp();
    service = api(running.url);
    // Chromium has no sandbox for root.
    const args = ['--no-sandbox', `--host-resolver-rules=MAP ${HOST} 127.0.0.1`];
    browser = await chromium.launch({ executablePath: chromiumPath!, args });
    page = await browser.newPage();
    // A breach of the content security policy is an error on the console.
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => requests.push(request.url()));
    origin = running.url.replace('127.0.0.1', HOST);
    await page.goto(`${origin}/docs`);
    await page.locator('.opblock').first().waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await running?.close();
  });

  it('shows the operations and the events, each labelled preview', async () => {
    const shown = await page.locator('.opblock-summary-description').allInnerTexts();
    expect(shown).toEqual([...Object.values(operations), ...Object.values(webhooks)].map(({ summary }) => summary));
    expect(shown.filter((summary) => !summary.endsWith(' (preview)'))).toEqual([]);
  });

  it('creates the booking of the example, and shows the problem of a second attempt', async () => {
    const create = page.locator('.opblock[id$="-createBooking"]');
    await create.locator('.opblock-summary-control').click();
    const execute = async (): Promise<unknown> => {
      const response = page.waitForResponse((sent) => sent.request().method() === 'POST');
      await create.getByRole('button', { name: 'Execute' }).click();
      // The previous response stays on the page until this one, known by its id, replaces it.
      const shown = create.locator('.live-responses-table tbody > tr.response').first();
      await shown.getByText((await response).headers()['x-request-id']!).waitFor();
      return JSON.parse(await shown.locator('.highlight-code code').innerText()) as unknown;
    };
    const booking = (await execute()) as BookingDto;
    await service.get(`/v1/bookings/${booking.booking_id}`).expect(200, booking);
    expect(await execute()).toMatchObject(aProblem('slot-taken'));
  });

  // The last test: it judges all that the page did before.
  it('sends requests to the service only, and does nothing that its content security policy blocks', () => {
    expect(requests.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'))).toEqual([]);
    const ofTheDoubleBooking = /Failed to load resource: .* 409/;
    // Chromium ignores this header over plain HTTP, and warns.
    const ofHttp =
      /^The Cross-Origin-Opener-Policy header has been ignored, because the URL's origin was untrustworthy/;
    expect(complaints.filter((text) => !ofTheDoubleBooking.test(text) && !ofHttp.test(text))).toEqual([]);
  });
});
