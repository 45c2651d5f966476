import type { BookingDto, CreateBookingDto } from '@booking-service/client';
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
  type Request,
} from 'playwright-core';
import { chromiumPath } from 'testing/chromium';

/** The day of the tests, a Tuesday. Berlin is an hour ahead of UTC. */
export const DAY = '2026-12-01';
/** When every page is opened, by its own clock. */
const NOW = '2026-11-30T09:00:00Z';
/** The context of a phone. */
export const PHONE = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true };
export const ADDRESS = `?date=${DAY}&span=day&zone=Europe/Berlin`;

/** What happens to a request: it passes, its connection is cut, or it gets this response. */
export type Treatment = 'pass' | 'cut' | { status: number; headers?: Record<string, string> };

let browser: Browser | undefined;
afterAll(() => browser?.close());

/** The timetable in its own browser context, and the errors and warnings on its console. */
export class Timetable {
  readonly complaints: string[] = [];
  readonly requests: string[] = [];
  /** Decides about each request of an intercepted interface; a promise delays it. */
  treat: (request: Request) => Treatment | Promise<Treatment> = () => 'pass';

  private constructor(readonly page: Page) {
    // A breach of the content security policy is an error on the console.
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('request', (request) => this.requests.push(request.url()));
  }

  static async blank(options: BrowserContextOptions = {}): Promise<Timetable> {
    // It has no sandbox, because it has none to offer as root. It does not run under libfaketime.
    browser ??= await chromium.launch({
      executablePath: chromiumPath!,
      args: ['--no-sandbox'],
      env: { ...process.env, LD_PRELOAD: undefined },
    });
    const context = await browser.newContext({
      // A whole day beside the panel.
      viewport: { width: 2100, height: 800 },
      timezoneId: 'Europe/Berlin',
      locale: 'en-GB',
      reducedMotion: 'reduce',
      ...options,
    });
    await context.addInitScript(clockAt(NOW));
    return new Timetable(await context.newPage());
  }

  /** Opens a view and waits until it has been read. */
  static async open(
    service: { readonly url: string },
    query = ADDRESS,
    options: BrowserContextOptions = {},
  ): Promise<Timetable> {
    const timetable = await Timetable.blank(options);
    await timetable.goTo(`${service.url}/timetable${query}`);
    return timetable;
  }

  /** Has `treat` decide about what the page requests of the interface. */
  async intercept(): Promise<void> {
    await this.page.route('**/v1/**', async (route) => {
      const treatment = await this.treat(route.request());
      if (treatment === 'pass') return route.continue();
      return treatment === 'cut' ? route.abort('connectionreset') : route.fulfill(treatment);
    });
  }

  /** Delays requests until the returned function is called. */
  hold(which: (request: Request) => boolean): () => void {
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    this.treat = async (request): Promise<Treatment> => {
      if (which(request)) await released;
      return 'pass';
    };
    return release;
  }

  async goTo(url: string): Promise<void> {
    await this.page.goto(url);
    await this.isRead();
  }

  /** Has the page poll now. */
  async poll(): Promise<void> {
    await this.page.evaluate(`dispatchEvent(new Event('online'))`);
  }

  /** Three frames are drawn. */
  frames(): Promise<void> {
    return this.page.evaluate(`(async () => {
      for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    })()`);
  }

  /** Cells of time that is not known. */
  get unread(): Locator {
    return this.page.locator('.unread');
  }

  /** Waits until the window has been read. */
  isRead(): Promise<void> {
    return this.page.locator('#status', { hasText: 'refreshed every' }).waitFor({ state: 'attached' });
  }

  close(): Promise<void> {
    return this.page.context().close();
  }

  get status(): Locator {
    return this.page.locator('#status');
  }

  get panel(): Locator {
    return this.page.getByRole('dialog');
  }

  get fault(): Locator {
    return this.page.locator('#fault');
  }

  row(resource: string): Locator {
    const name = this.page.locator(`.name[title=${JSON.stringify(resource)}]`);
    return this.page.locator('.row').filter({ has: name });
  }

  booked(label: string): Locator {
    // By its name: what is short has no text.
    return this.page.locator(`.booked[aria-label*=${JSON.stringify(label)}]`);
  }

  /** The accessible name of what has the focus. */
  focused(): Promise<string> {
    return this.page.evaluate<string>('document.activeElement.ariaLabel ?? document.activeElement.innerText');
  }

  /** Where an instant of a resource is on the screen, in a day that begins at an instant and has some hours. */
  async pointOf(resource: string, instant: string, [from, hours] = [`${DAY}T00:00:00+01:00`, 24] as [string, number]) {
    await this.row(resource).waitFor();
    await this.frames();
    const [line, row] = [await this.page.locator('#lines').boundingBox(), await this.row(resource).boundingBox()];
    const share = (Date.parse(instant) - Date.parse(from)) / (hours * 3_600_000);
    return { x: line!.x + share * line!.width, y: row!.y + row!.height / 2 };
  }

  /** Drags the mouse over a stretch of a row, which opens the form. */
  async drag(resource: string, from: string, to: string, day?: [string, number]): Promise<void> {
    const [first, last] = [await this.pointOf(resource, from, day), await this.pointOf(resource, to, day)];
    await this.page.mouse.move(first.x + 1, first.y);
    await this.page.mouse.down();
    await this.page.mouse.move(last.x - 1, last.y, { steps: 4 });
    await this.page.mouse.up();
    await this.page.locator('#form').waitFor();
  }

  /** Clicks free time. */
  async choose(resource: string, instant: string): Promise<void> {
    const { x, y } = await this.pointOf(resource, instant);
    await this.page.mouse.click(x, y);
  }

  /** Enters the start or the end of the form, as `YYYY-MM-DD HH:MM`. */
  async enter(name: 'start' | 'end', text: string): Promise<void> {
    await this.page.locator(`#${name}`).fill(text.replace(' ', 'T'));
  }

  async book(name?: string): Promise<void> {
    if (name !== undefined) await this.page.getByLabel('Name').fill(name);
    await this.page.locator('#book').click();
  }
}

/** Runs in the page: its clock continues from an instant, and can be set further ahead. */
function clockAt(instant: string): string {
  return `{
    globalThis.ahead = ${Date.parse(instant) - Date.now()};
    globalThis.Date = class extends Date {
      static now() { return super.now() + ahead; }
      constructor(...parts) { super(...(parts.length === 0 ? [Date.now()] : parts)); }
    };
  }`;
}

/** A slot of that day, by the clock of Berlin. */
export function slotOf(resource: string, from: string, to: string): NonNullable<CreateBookingDto['slot']> {
  return { resource_id: resource, start: `${DAY}T${from}:00+01:00`, end: `${DAY}T${to}:00+01:00` };
}

/** Makes a booking as another client does. */
export async function create(
  service: { readonly url: string },
  payload: CreateBookingDto,
  headers: Record<string, string> = {},
): Promise<BookingDto> {
  const response = await fetch(`${service.url}/v1/bookings`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(payload),
  });
  if (response.status !== 201) throw new Error(await response.text());
  return (await response.json()) as BookingDto;
}

/** Every booking that the service lists. */
export async function listed(service: { readonly url: string }, query = 'limit=100'): Promise<BookingDto[]> {
  const response = await fetch(`${service.url}/v1/bookings?${query}`);
  return ((await response.json()) as { bookings: BookingDto[] }).bookings;
}
