import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BookingDto, BookingPageDto } from '@booking-service/contracts';
import type { Browser, Page } from 'playwright-core';
import { type Api, api } from '../support/api.js';
import { aProblem, create as makeBooking } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';
import { chromiumPath, HOST, launchChromium } from './chromium.js';
import { SwaggerUiOperation } from './swagger-ui-operation.js';

/** The browser's, for what runs in the page. */
declare function getComputedStyle(element: unknown): { getPropertyValue(name: string): string };

if (chromiumPath === undefined) {
  process.stderr.write('Skipped: Swagger UI in a browser. There is no Chromium here; TEST_CHROMIUM may name one.\n');
}

(chromiumPath === undefined ? describe.skip : describe)('Swagger UI in a browser', () => {
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
    browser = await launchChromium(chromiumPath!);
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

  it('shows the three operations and the events, labelled preview', async () => {
    expect(await page.title()).toBe('Booking Service Interface (Preview)');
    expect(await page.locator('.opblock-summary-description').allInnerTexts()).toEqual([
      'List bookings (preview)',
      'Create a booking (preview)',
      'Get a booking (preview)',
      'A booking was created (preview)',
      'An operator deleted a booking (preview)',
      'A test of an endpoint (preview)',
    ]);
  });

  it('has its styles and its icons', async () => {
    expect(await styleOf('.opblock-post .opblock-summary-method', 'background-color')).toBe('rgb(73, 204, 144)');
    expect(await page.locator('.opblock-post svg.arrow').first().boundingBox()).toMatchObject({
      width: 20,
      height: 20,
    });
    // The arrow of a menu is an icon of the style sheet, from a `data:` address.
    expect(await styleOf('.servers select', 'background-image')).toMatch(/^url\("data:image\/svg/);
  });

  it('creates a booking, and shows the problem where it is created again', async () => {
    const create = await SwaggerUiOperation.open(page, 'createBooking');
    const first = await create.execute();
    expect(first.status).toBe(201);
    const { booking_id } = first.body as BookingDto;
    await service.get(`/v1/bookings/${booking_id}`).expect(200, first.body as BookingDto);
    const second = await create.execute();
    expect(second.status).toBe(409);
    expect(second.body).toMatchObject(aProblem('slot-taken'));
  });

  it('creates what was written over the example', async () => {
    const create = await SwaggerUiOperation.open(page, 'createBooking');
    await create.edit('{ "guest": { "name": "Edited" } }');
    expect(await create.execute()).toMatchObject({ status: 201, body: { guest: { name: 'Edited' } } });
  });

  it('reads the list, and one booking', async () => {
    const booking = await makeBooking(service);
    const list = await SwaggerUiOperation.open(page, 'listBookings');
    const { status, body } = await list.execute();
    expect(status).toBe(200);
    expect((body as BookingPageDto).bookings).toContainEqual(booking);
    const get = await SwaggerUiOperation.open(page, 'getBooking');
    await get.fill('booking_id', booking.booking_id);
    expect(await get.execute()).toEqual({ status: 200, body: booking });
  });

  it('also works below a prefix that a proxy takes off', async () => {
    const proxy = createServer((request, response) => {
      const headers = { ...request.headers, host: new URL(running.url).host };
      const path = request.url!.replace(/^\/prefix/, '');
      request.pipe(
        forward(`${running.url}${path}`, { headers, method: request.method }, (forwarded) => {
          forwarded.pipe(response.writeHead(forwarded.statusCode!, forwarded.headers));
        }),
      );
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const proxied = await browser.newPage();
    await proxied.goto(`http://${HOST}:${(proxy.address() as AddressInfo).port}/prefix/docs`);
    await proxied.locator('.opblock').first().waitFor();
    // Three operations, three events.
    expect(await proxied.locator('.opblock').count()).toBe(6);
    await proxied.close();
    proxy.close();
  });

  // Last, so that it judges all that the page did above.
  it('sends requests to the service only, and does nothing that its content security policy blocks', () => {
    expect(requests.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'))).toEqual([]);
    const ofTheDoubleBooking = /Failed to load resource: .* 409/;
    // Over plain HTTP browsers ignore this header, and say so.
    const ofHttp =
      /^The Cross-Origin-Opener-Policy header has been ignored, because the URL's origin was untrustworthy/;
    expect(complaints.filter((text) => !ofTheDoubleBooking.test(text) && !ofHttp.test(text))).toEqual([]);
  });

  function styleOf(selector: string, property: string): Promise<string> {
    const element = page.locator(selector).first();
    return element.evaluate((found, name) => getComputedStyle(found).getPropertyValue(name), property);
  }
});
