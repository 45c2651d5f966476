import type { BookingDto, CreateBookingDto } from '@booking-service/client';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { chromiumPath } from 'testing/chromium';

/** The day of the tests, a Tuesday. Berlin is an hour ahead of UTC. */
export const DAY = '2026-12-01';
/** When every page is opened, by its own clock. */
const NOW = Date.parse('2026-11-30T09:00:00Z');
export const PHONE = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true };
export const ADDRESS = `?date=${DAY}&span=day&zone=Europe/Berlin`;

type Service = { readonly url: string };
/** What happens to a request: it passes, its connection is cut, or it gets this response. */
type Treatment = 'pass' | 'cut' | { status: number; headers?: Record<string, string> };

let browser: Browser | undefined;
afterAll(() => browser?.close());

/** The timetable in its own browser context, and the errors and warnings on its console. */
export class Timetable {
  readonly complaints: string[] = [];
  readonly requests: string[] = [];
  /** Decides about each request of an intercepted interface; a promise delays it. */
  treat: () => Treatment | Promise<Treatment> = () => 'pass';
  readonly status: Locator;
  readonly panel: Locator;
  readonly fault: Locator;
  readonly unread: Locator;

  private constructor(readonly page: Page) {
    this.panel = page.getByRole('dialog');
    [this.status, this.fault, this.unread] = [page.locator('#status'), page.locator('#fault'), page.locator('.unread')];
    // A breach of the content security policy is an error on the console.
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('request', (request) => this.requests.push(request.url()));
  }

  static async blank(options: BrowserContextOptions = {}): Promise<Timetable> {
    // It has no sandbox, because it has none to offer as root. It does not run under libfaketime.
    const env = { ...process.env, LD_PRELOAD: undefined };
    browser ??= await chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'], env });
    // A whole day beside the panel.
    const viewport = { width: 2100, height: 800 };
    const locale = { timezoneId: 'Europe/Berlin', locale: 'en-GB' };
    const context = await browser.newContext({ viewport, ...locale, reducedMotion: 'reduce', ...options });
    // The clock of the page continues from an instant, and can be set further ahead.
    await context.addInitScript(`{
      globalThis.ahead = ${NOW - Date.now()};
      globalThis.Date = class extends Date {
        static now() { return super.now() + ahead; }
        constructor(...parts) { super(...(parts.length === 0 ? [Date.now()] : parts)); }
      };
    }`);
    return new Timetable(await context.newPage());
  }

  /** Opens a view and waits until it has been read. */
  static async open(service: Service, query = ADDRESS, options: BrowserContextOptions = {}): Promise<Timetable> {
    const timetable = await Timetable.blank(options);
    await timetable.goTo(`${service.url}/timetable${query}`);
    return timetable;
  }

  /** Has `treat` decide about what the page requests of the interface. */
  async intercept(): Promise<void> {
    await this.page.route('**/v1/**', async (route) => {
      const treatment = await this.treat();
      if (treatment === 'pass') return route.continue();
      return treatment === 'cut' ? route.abort('connectionreset') : route.fulfill(treatment);
    });
  }

  /** Delays requests until the returned function is called. */
  hold(): () => void {
    let release = () => {};
    const released = new Promise<Treatment>((resolve) => (release = () => resolve('pass')));
    this.treat = () => released;
    return release;
  }

  async goTo(url: string): Promise<void> {
    await this.page.goto(url);
    await this.isRead();
  }

  /** Waits until the window has been read. */
  isRead(): Promise<void> {
    return this.status.filter({ hasText: 'refreshed every' }).waitFor({ state: 'attached' });
  }

  close(): Promise<void> {
    return this.page.context().close();
  }

  /** Has the page poll now. */
  async poll(): Promise<void> {
    await this.page.evaluate(`dispatchEvent(new Event('online'))`);
  }

  /** Three frames are drawn. */
  async frames(): Promise<void> {
    for (let frame = 0; frame < 3; frame++) await this.page.evaluate(`new Promise(requestAnimationFrame)`);
  }

  row(resource: string): Locator {
    return this.page.locator('.row').filter({ has: this.page.locator(`.name[title=${JSON.stringify(resource)}]`) });
  }

  booked(label: string): Locator {
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

/** An instant of that day, by the clock of Berlin. */
export function at(time: string): string {
  return `${DAY}T${time}:00+01:00`;
}

export function slotOf(resource: string, from: string, to: string): NonNullable<CreateBookingDto['slot']> {
  return { resource_id: resource, start: at(from), end: at(to) };
}

/** Makes a booking as another client does. */
export async function create(service: Service, payload: CreateBookingDto, headers = {}): Promise<BookingDto> {
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers } };
  const response = await fetch(`${service.url}/v1/bookings`, { ...init, body: JSON.stringify(payload) });
  if (response.status !== 201) throw new Error(await response.text());
  return (await response.json()) as BookingDto;
}

/** The starts and the guests of the bookings of a resource, by start. */
export async function listed(service: Service, resource: string): Promise<[string, unknown][]> {
  const query = new URLSearchParams({ limit: '100', resource_id: resource, from: '0001-01-01T00:00:00Z' });
  const { bookings } = (await (await fetch(`${service.url}/v1/bookings?${query}`)).json()) as {
    bookings: BookingDto[];
  };
  return bookings.map(({ slot, guest }) => [slot!.start, (guest as { name: string } | undefined)?.name]);
}
