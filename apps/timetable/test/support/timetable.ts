import { BookingsClient } from '@booking-service/client';
import { type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { ServiceProcess } from 'testing';
import { chromiumPath } from 'testing/chromium';

/** The day of most tests, a Tuesday. Berlin is an hour ahead of UTC. */
export const DAY = '2026-12-01';
export const ADDRESS = `?date=${DAY}&span=day&zone=Europe/Berlin`;
/** What the page requests of the service, for `page.route`. */
export const INTERFACE = '**/v1/**';
export const PHONE = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true, locale: 'en-US' };

const rooms = Array.from({ length: 9 }, (_, index) => `room-${index + 1}`);
/** The service of most tests. Each test books a resource or a day of its own. */
export const service = await ServiceProcess.start({ TIMETABLE_RESOURCES: ['hall', ...rooms, 'lab/a', 'lab/b'].join() });
export const client = new BookingsClient({ baseUrl: service.url });

// Chromium has no sandbox to offer to root, and does not run under libfaketime.
const env = { ...process.env, LD_PRELOAD: undefined };
const browser = await chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'], env });

/** Errors and warnings on the consoles of all pages. A breach of the content security policy is one. */
const complaints: string[] = [];

/** A tab with the timetable. */
export class Timetable {
  readonly requests: string[] = [];
  readonly panel: Locator;
  readonly fault: Locator;
  readonly unread: Locator;

  private constructor(readonly page: Page) {
    this.panel = page.getByRole('dialog');
    [this.fault, this.unread] = [page.locator('#fault'), page.locator('.unread')];
    page.on('console', (message) => {
      // The browser also reports every rejection and every lost response of the service, and invalid dates of addresses.
      const isNormal = message.location().url.includes('/v1/') || message.text().includes('does not conform');
      if (['error', 'warning'].includes(message.type()) && !isNormal) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => this.requests.push(request.url()));
  }

  /** A tab of a new session, whose clock starts at an instant and goes on from there. */
  static async open(options: BrowserContextOptions = {}): Promise<Timetable> {
    // Wide enough for a whole day beside the panel.
    const viewport = { width: 2100, height: 800 };
    const locale = { timezoneId: 'Europe/Berlin', locale: 'en-GB' };
    const context = await browser.newContext({ viewport, ...locale, reducedMotion: 'reduce', ...options });
    await context.clock.install({ time: '2026-11-30T09:00:00Z' });
    return new Timetable(await context.newPage());
  }

  /** Another tab of the same session. */
  async tab(): Promise<Timetable> {
    return new Timetable(await this.page.context().newPage());
  }

  close(): Promise<void> {
    return this.page.context().close();
  }

  /** Opens a view and waits until its window has been read. */
  async goTo(query = ADDRESS, { url }: { readonly url: string } = service): Promise<void> {
    await this.page.goto(`${url}/timetable${query}`);
    await this.isRead();
  }

  isRead(): Promise<void> {
    return this.hasStatus('refreshed every');
  }

  hasStatus(text: string | RegExp): Promise<void> {
    return this.page.locator('#status', { hasText: text }).waitFor({ state: 'attached' });
  }

  hasToast(text: string): Promise<void> {
    return this.page.locator('#toast', { hasText: text }).waitFor({ state: 'attached' });
  }

  /** Lets time pass at once. After five seconds the page polls, unless it waits for a retry. */
  pass(seconds = 5): Promise<void> {
    return this.page.clock.fastForward(seconds * 1_000);
  }

  /** Delays responses until the returned function is called. */
  async hold(): Promise<() => void> {
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await this.page.route(INTERFACE, (route) => released.then(() => route.continue()));
    return release;
  }

  row(resource: string): Locator {
    return this.page.locator('.row').filter({ has: this.page.locator(`.name[title=${JSON.stringify(resource)}]`) });
  }

  booked(label: string): Locator {
    return this.page.locator(`.booked[aria-label*=${JSON.stringify(label)}]`);
  }

  /** Presses keys in turn. @returns the accessible name of what has the focus then */
  async press(...keys: string[]): Promise<string> {
    for (const key of keys) await this.page.keyboard.press(key);
    return this.page.evaluate<string>('document.activeElement.ariaLabel ?? document.activeElement.innerText');
  }

  /** Clicks, or taps, an instant of a row. */
  async choose(resource: string, instant: string, act: 'click' | 'tap' = 'click'): Promise<void> {
    const [cells, position] = await this.placeOf(resource, instant);
    await cells[act]({ position });
  }

  /** Presses the mouse at an instant of a row and moves it to another one. */
  async stretch(resource: string, from: string, to: string, day?: DayOfRow): Promise<void> {
    const [cells, first] = await this.placeOf(resource, from, day);
    const [, last] = await this.placeOf(resource, to, day);
    await cells.hover({ position: { x: first.x + 1, y: first.y } });
    await this.page.mouse.down();
    await cells.hover({ position: { x: last.x - 1, y: last.y } });
  }

  /** Drags the mouse over a stretch of a row, which opens the form. */
  async drag(resource: string, from: string, to: string, day?: DayOfRow): Promise<void> {
    await this.stretch(resource, from, to, day);
    await this.page.mouse.up();
    await this.page.locator('#form').waitFor();
  }

  /** Enters the start or the end of the form, as `YYYY-MM-DD HH:MM`. */
  async enter(name: 'start' | 'end', text: string): Promise<void> {
    await this.page.locator(`#${name}`).fill(text.replace(' ', 'T'));
  }

  /** Sends the form. */
  async book(name?: string): Promise<void> {
    if (name !== undefined) await this.page.getByLabel('Name').fill(name);
    await this.page.locator('#book').click();
  }

  /** The cells of a row, and the position of an instant in them. */
  private async placeOf(resource: string, instant: string, day: DayOfRow = { start: at('00:00'), hours: 24 }) {
    const cells = this.row(resource).locator('.cells');
    const { width, height } = (await cells.boundingBox())!;
    const share = (Date.parse(instant) - Date.parse(day.start)) / (day.hours * 3_600_000);
    return [cells, { x: share * width, y: height / 2 }] as const;
  }
}

/** The day of a row, which has 23, 24.5 or 25 hours if clocks change. */
interface DayOfRow {
  readonly start: string;
  readonly hours: number;
}

/** An instant by the winter clock of Berlin. */
export function at(time: string, date = DAY): string {
  return `${date}T${time}:00+01:00`;
}

export function slotOf(resource: string, from: string, to: string, date = DAY) {
  return { resource_id: resource, start: at(from, date), end: at(to, date) };
}

/** The starts, as HH:MM in UTC, and the guests of the bookings of a resource. */
export async function listed(resource: string): Promise<[start: string, guest: string][]> {
  const { bookings } = await client.list({ resource_id: resource, from: '0001-01-01T00:00:00Z' });
  return bookings.map(({ slot, guest }) => [slot!.start.slice(11, 16), (guest as { name: string }).name]);
}

/** The tab of most tests. */
export const desk = await Timetable.open();

afterEach(async () => {
  await desk.page.unrouteAll({ behavior: 'ignoreErrors' });
  expect(complaints.splice(0)).toEqual([]);
});
afterAll(async () => {
  await browser.close();
  await service.stop();
});
