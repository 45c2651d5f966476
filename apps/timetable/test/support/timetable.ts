import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { BookingsClient } from '@booking-service/client';
import { type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { ServiceProcess } from 'testing';
import { chromiumPath } from 'testing/chromium';

/** The day of most tests, a Tuesday. Berlin is an hour ahead of UTC. */
const DAY = '2026-12-01';
export const ADDRESS = `?date=${DAY}&span=day&zone=Europe/Berlin`;
/** The pattern of requests to the service, for `page.route`. */
export const INTERFACE = '**/v1/**';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const rooms = Array.from({ length: 9 }, (_, index) => `room-${index + 1}`);
/** The service of most tests, each of which books its own resource or day. */
export const service = await ServiceProcess.start({ TIMETABLE_RESOURCES: ['hall', ...rooms, 'lab/a', 'lab/b'].join() });
export const client = new BookingsClient({ baseUrl: service.url });

// Chromium has no sandbox to offer to root.
const browser = await chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'] });

/** Errors and warnings on the consoles of all pages, such as breaches of the content security policy. */
const complaints: string[] = [];

export class Timetable {
  readonly requests: string[] = [];
  readonly panel: Locator;
  readonly fault: Locator;

  constructor(readonly page: Page) {
    this.panel = page.getByRole('dialog');
    this.fault = page.locator('#fault');
    page.on('console', (message) => {
      // The browser also reports rejections and lost responses of the service, and invalid dates in addresses.
      const isNormal = message.location().url.includes('/v1/') || message.text().includes('does not conform');
      if (['error', 'warning'].includes(message.type()) && !isNormal) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => this.requests.push(request.url()));
  }

  /** A tab in a new session, whose clock always starts at the same instant. */
  static async open(options: BrowserContextOptions = {}): Promise<Timetable> {
    const viewport = { width: 2100, height: 800 };
    const locale = { timezoneId: 'Europe/Berlin', locale: 'en-GB' };
    const context = await browser.newContext({ viewport, ...locale, reducedMotion: 'reduce', ...options });
    await context.clock.install({ time: '2026-11-30T09:00:00Z' });
    return new Timetable(await context.newPage());
  }

  async goTo(query = ADDRESS, { url }: { readonly url: string } = service): Promise<void> {
    await this.page.goto(`${url}/timetable${query}`);
    await this.isRead();
  }

  async isRead(): Promise<void> {
    await this.says('status', 'refreshed every');
    await this.isDrawn();
  }

  /** Waits until the page has drawn the rows nearby: its observer is older than this one, so it is notified first. */
  isDrawn(): Promise<unknown> {
    return this.page.evaluate('new Promise((resolve) => new IntersectionObserver(resolve).observe(document.body))');
  }

  says(id: 'status' | 'trouble' | 'toast', text: string | RegExp): Promise<void> {
    return this.page.locator(`#${id}`, { hasText: text }).waitFor({ state: 'attached' });
  }

  /** Moves the clock forward. After five seconds the page polls, unless it waits for a retry. */
  pass(seconds = 5): Promise<void> {
    return this.page.clock.fastForward(seconds * 1_000);
  }

  async hold(): Promise<() => void> {
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await this.page.route(INTERFACE, (route) => released.then(() => route.continue()));
    return release;
  }

  /** The address as the page has it now: `page.url()` learns of a change later. */
  async address(): Promise<URL> {
    return new URL(await this.page.evaluate<string>('location.href'));
  }

  row(resource: string): Locator {
    return this.page.locator('.row').filter({ has: this.page.locator(`.name[title=${JSON.stringify(resource)}]`) });
  }

  booked(label: string): Locator {
    return this.page.locator(`.booked[aria-label*=${JSON.stringify(label)}]`);
  }

  /** Presses keys in turn. @returns the accessible name of the element that then has the focus */
  async press(...keys: string[]): Promise<string> {
    for (const key of keys) await this.page.keyboard.press(key);
    return this.page.evaluate<string>('document.activeElement.ariaLabel ?? document.activeElement.innerText');
  }

  async choose(resource: string, hour: number, act: 'click' | 'tap' = 'click'): Promise<void> {
    const cells = this.row(resource).locator('.cells');
    await cells[act](await placeOf(cells, hour));
  }

  async stretch(resource: string, from: number, to: number, hours?: number): Promise<void> {
    const cells = this.row(resource).locator('.cells');
    await cells.hover(await placeOf(cells, from + 0.02, hours));
    await this.page.mouse.down();
    // Forced, since the edge of the chosen slot lies under the pointer.
    await cells.hover({ ...(await placeOf(cells, to - 0.02, hours)), force: true });
  }

  async drag(resource: string, from: number, to: number, hours?: number): Promise<void> {
    await this.stretch(resource, from, to, hours);
    await this.page.mouse.up();
    await this.page.locator('#form').waitFor();
  }

  async enter(values: Record<string, string>): Promise<void> {
    for (const [id, value] of Object.entries(values)) await this.page.locator(`#${id}`).fill(value);
  }

  async book(name?: string): Promise<void> {
    if (name !== undefined) await this.enter({ name });
    await this.page.locator('#book').click();
  }

  /** Expects axe-core to find nothing in a state of the page, in light and in dark colours. */
  async isAccessible(state: string): Promise<void> {
    // The content security policy permits an evaluated script, which is not part of the page.
    await this.page.evaluate(AXE);
    for (const colorScheme of ['dark', 'light'] as const) {
      await this.page.emulateMedia({ colorScheme });
      const { violations } = await this.page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
        `axe.run(document, { resultTypes: ['violations'] })`,
      );
      const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
      expect({ state, colorScheme, found }).toEqual({ state, colorScheme, found: [] });
    }
  }
}

/** The position of an hour in the cells of a row. @param hours in the day */
async function placeOf(cells: Locator, hour: number, hours = 24) {
  const { width, height } = (await cells.boundingBox())!;
  return { position: { x: (hour / hours) * width, y: height / 2 } };
}

/** Whether two corners of an element are in the window, with nothing over them. */
export function isInSight(element: Locator): Promise<boolean> {
  return element.evaluate((own) => {
    const { left, top, right, bottom } = own.getBoundingClientRect();
    const isOver = (x: number, y: number) => own.contains(document.elementFromPoint(x, y));
    return isOver(left + 4, top + 4) && isOver(right - 4, bottom - 4);
  });
}

/** A slot on the winter clock of Berlin. */
export function slotOf(resource: string, from: string, to: string, date = DAY) {
  return { resource_id: resource, start: `${date}T${from}:00+01:00`, end: `${date}T${to}:00+01:00` };
}

/** The start (HH:MM in UTC) and the guest of each booking of a resource. */
export async function listed(resource: string): Promise<[start: string, guest: string][]> {
  const { bookings } = await client.list({ resource_id: resource, from: '0001-01-01T00:00:00Z' });
  return bookings.map(({ slot, guest }) => [slot!.start.slice(11, 16), (guest as { name: string }).name]);
}

export const desk = await Timetable.open();

afterEach(async () => {
  await desk.page.unrouteAll({ behavior: 'ignoreErrors' });
  expect(complaints.splice(0)).toEqual([]);
});
afterAll(async () => {
  await browser.close();
  await service.stop();
});
