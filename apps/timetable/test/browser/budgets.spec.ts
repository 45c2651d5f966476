import type { BookingDto } from '@booking-service/client';
import type { CDPSession } from 'playwright-core';
import { ServiceProcess } from 'testing';
import { findings } from '../support/axe.js';
import { FakeService } from '../support/fake-service.js';
import { ADDRESS, describeInBrowser, Timetable } from '../support/timetable.js';

const [ROOMS, OF_EACH, DAYS] = [200, 10, 7];
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MONDAY = Date.parse('2026-11-30T00:00:00+01:00');

/** Each room has ten bookings a day, of 15 to 90 minutes from each other hour on. */
function fill(fake: FakeService): void {
  const text = (instant: number) => new Date(instant).toISOString();
  fake.bookings = Array.from({ length: ROOMS * OF_EACH * DAYS }, (_, index) => {
    const [room, turn] = [index % ROOMS, Math.floor(index / ROOMS)];
    const start = MONDAY + Math.floor(turn / OF_EACH) * DAY + (4 + (turn % OF_EACH) * 2) * HOUR;
    const end = start + ((1 + ((room + turn) % 6)) * HOUR) / 4;
    return {
      booking_id: `old-${String(index).padStart(8, '0')}`,
      created_at: text(MONDAY - DAY + index),
      slot: { resource_id: `floor-${room % 10}/room-${room}`, start: text(start), end: text(end) },
      guest: { name: `Guest ${index}` },
    };
  });
}

/** Milliseconds of CPU that the main thread spent in scripts, styles and layout: a busy machine does not count. */
async function cpu(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  const of = (name: string) => metrics.find((metric) => metric.name === name)!.value;
  return (of('ScriptDuration') + of('LayoutDuration') + of('RecalcStyleDuration')) * 1_000;
}

describeInBrowser(`With ${ROOMS} resources, 2,000 bookings a day and 14,000 a week`, () => {
  const fake = new FakeService();
  /** Pages of the list that are sent before the others are held back. */
  let free = Infinity;
  let release = () => {};
  let service: ServiceProcess;
  let timetable: Timetable;
  let session: CDPSession;
  const figures: string[] = [];

  beforeAll(async () => {
    fill(fake);
    service = await ServiceProcess.start();
    timetable = await Timetable.blank();
    const { page } = timetable;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/v1/bookings?*', async (route) => {
      if (--free < 0) await released;
      const { limit, ...query } = Object.fromEntries(new URL(route.request().url()).searchParams);
      const { signal } = new AbortController();
      const { data } = await fake.client.list({ ...query, limit: Number(limit) }, { signal }).withResponse();
      await route.fulfill({ json: data }).catch(() => {});
    });
    session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  });
  afterAll(async () => {
    process.stderr.write(`Timetable: ${figures.join(', ')}.\n`);
    release();
    await timetable.close();
    await service.stop();
  });

  const elements = () => timetable.page.evaluate<number>(`document.querySelectorAll('*').length`);
  const frames = () =>
    timetable.page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))`);
  /** How many elements a screen has, with its rows. */
  async function elementsAt(width: number, height: number): Promise<number> {
    const { page } = timetable;
    await page.setViewportSize({ width, height });
    await frames();
    await frames();
    expect(await page.locator('.row').count()).toBeGreaterThan(height / 50);
    const count = await elements();
    figures.push(`${count} at ${width} x ${height}`);
    await page.setViewportSize({ width: 1280, height: 800 });
    await frames();
    return count;
  }

  it('a day is read and drawn', async () => {
    const started = performance.now();
    await timetable.goTo(`${service.url}/timetable${ADDRESS}`);
    const wall = performance.now() - started;
    expect(await timetable.status.innerText()).toContain('2,000 bookings');
    const used = await cpu(session);
    figures.push(`a day read and drawn after ${wall.toFixed()} ms with ${used.toFixed()} ms of CPU`);
    expect(used).toBeLessThanOrEqual(1_000);
    expect(await elements()).toBeGreaterThan(500);
    expect(await elements()).toBeLessThanOrEqual(1_500);
  });

  it('at 1440p a day has at most 1,500 elements, at 4K 2,200', async () => {
    expect(await elementsAt(2_560, 1_440)).toBeLessThanOrEqual(1_500);
    expect(await elementsAt(3_840, 2_160)).toBeLessThanOrEqual(2_200);
  });

  it('drawing takes 150 ms of CPU', async () => {
    const zone = timetable.page.locator('#zone');
    const options = await zone.locator('option').count();
    await zone.focus();
    const before = await cpu(session);
    // The same day in another zone with the same time: everything is redrawn, and nothing is read.
    await zone.selectOption('Europe/Paris');
    await timetable.page.locator('#corner', { hasText: 'Europe/Paris' }).waitFor();
    await frames();
    const used = (await cpu(session)) - before;
    figures.push(`drawn anew with ${used.toFixed()} ms`);
    expect(used).toBeLessThanOrEqual(150);
    expect(await zone.locator('option').count()).toBeGreaterThan(options);
  });

  it('ten new bookings take 40 ms of CPU', async () => {
    const before = await cpu(session);
    const slotOf = ({ slot }: BookingDto) => slot!.resource_id;
    for (const booking of fake.bookings.slice(0, 10)) {
      fake.create(slotOf(booking), MONDAY + DAY + 2 * HOUR, MONDAY + DAY + 2.5 * HOUR, MONDAY);
    }
    await timetable.poll();
    await timetable.status.filter({ hasText: '2,010 bookings' }).waitFor();
    const used = (await cpu(session)) - before;
    figures.push(`ten new ones ${used.toFixed()} ms`);
    expect(used).toBeLessThanOrEqual(40);
  });

  it('a frame of scrolling takes 16 ms of CPU, and leaves 1,500 elements', async () => {
    const before = await cpu(session);
    const times = await timetable.page.evaluate<number[]>(`new Promise((resolve) => {
      const grid = document.querySelector('#grid');
      const times = [];
      let last = performance.now();
      const step = () => {
        const now = performance.now();
        times.push(now - last);
        last = now;
        grid.scrollTop += 97;
        if (times.length < 60) requestAnimationFrame(step);
        else resolve(times.toSorted((a, b) => a - b));
      };
      requestAnimationFrame(step);
    })`);
    const used = ((await cpu(session)) - before) / 60;
    const [p50, p95] = [times[30]!.toFixed(), times[57]!.toFixed()];
    figures.push(`a frame of scrolling p50 ${p50} ms, p95 ${p95} ms, ${used.toFixed(1)} ms of CPU`);
    expect(used).toBeLessThanOrEqual(16);
    expect(await elements()).toBeLessThanOrEqual(1_500);
  });

  it('an idle page takes one percent of CPU', async () => {
    const { page } = timetable;
    const before = await cpu(session);
    await page.waitForTimeout(500);
    const idle = (await cpu(session)) - before;
    // One of the polls, which are 5 seconds apart.
    const answered = page.waitForResponse('**/v1/bookings?*');
    await timetable.poll();
    await answered;
    await frames();
    const share = (idle * 9 + (await cpu(session)) - before) / 5_000;
    figures.push(`idle ${(share * 100).toFixed(2)} %`);
    expect(share).toBeLessThanOrEqual(0.01);
  });

  it('has as many elements and listeners however long it is used', async () => {
    const { page } = timetable;
    const use = async (times: number): Promise<void> => {
      await page.evaluate(`(async () => {
        const byId = (id) => document.getElementById(id);
        const frame = () => new Promise(requestAnimationFrame);
        for (let time = 0; time < ${times}; time++) {
          for (const id of ['nights', 'nights', 'new', 'close']) {
            byId(id).click();
            await frame();
          }
          byId('grid').scrollTop = time % 2 * 4_000;
          await frame();
          document.querySelector('.row .name[title^=floor]').click();
          document.querySelector('.entry:not(.open)').click();
          await frame();
          byId('close').click();
          await frame();
        }
        byId('grid').scrollTop = 0;
        await frame();
        await frame();
      })()`);
    };
    const measure = async (): Promise<{ nodes: number; listeners: number }> => {
      await session.send('HeapProfiler.collectGarbage');
      const { nodes, jsEventListeners: listeners } = await session.send('Memory.getDOMCounters');
      return { nodes, listeners };
    };
    await use(2);
    const before = await measure();
    await use(4);
    let after = await measure();
    // A request that is being sent has listeners too.
    for (let turn = 0; turn < 50 && (after.listeners > before.listeners || after.nodes > before.nodes); turn++) {
      await page.waitForTimeout(100);
      after = await measure();
    }
    figures.push(`${after.nodes} nodes and ${after.listeners} listeners after use`);
    expect(after.listeners).toBeLessThanOrEqual(before.listeners);
    expect(after.nodes).toBeLessThanOrEqual(before.nodes);
  });

  it('a week is read with its progress in sight, and drawn', async () => {
    const { page } = timetable;
    const before = await cpu(session);
    const started = performance.now();
    free = 40;
    await page.locator('#week').click();
    await timetable.band.filter({ hasText: /Reading, [1-9]\d? %/ }).waitFor();
    release();
    await timetable.status.filter({ hasText: '14,010 bookings' }).filter({ hasText: 'refreshed every' }).waitFor();
    const wall = performance.now() - started;
    const used = (await cpu(session)) - before;
    figures.push(`a week after ${wall.toFixed()} ms with ${used.toFixed()} ms`);
    expect(used).toBeLessThanOrEqual(3_000);
  });

  it('at 1440p a week has at most 1,500 elements, at 4K 2,200', async () => {
    expect(await elementsAt(2_560, 1_440)).toBeLessThanOrEqual(1_500);
    expect(await elementsAt(3_840, 2_160)).toBeLessThanOrEqual(2_200);
  });

  it('shows short bookings of a week where they are, though they share elements', async () => {
    const { page } = timetable;
    const [room, end] = ['floor-0/room-0', MONDAY + DAYS * DAY];
    await page.setViewportSize({ width: 2_560, height: 800 });
    await page.evaluate(`document.querySelector('#grid').scrollTop = 0`);
    await frames();
    await frames();
    const own = fake.bookings
      .filter(({ slot }) => slot?.resource_id === room)
      .toSorted((one, other) => (one.slot!.start < other.slot!.start ? -1 : 1));
    const instants: number[] = [];
    for (let at = MONDAY + HOUR / 8; at < end; at += HOUR / 4) instants.push(at);
    const drawn = await page.evaluate<{ isBooked: boolean; x: number; y: number }[], number[]>(
      (shares) => {
        const { left, width } = document.querySelector('#lines')!.getBoundingClientRect();
        const row = document.querySelector('[title="floor-0/room-0"]')!.getBoundingClientRect();
        return shares.map((share) => {
          const [x, y] = [left + share * width, row.y + 20];
          return { x, y, isBooked: document.elementFromPoint(x, y)!.closest('.booked, .several') !== null };
        });
      },
      instants.map((at) => (at - MONDAY) / (end - MONDAY)),
    );
    const isHeld = (at: number) => own.some(({ slot }) => Date.parse(slot!.start) < at && Date.parse(slot!.end) > at);
    expect(drawn.map(({ isBooked }) => isBooked)).toEqual(instants.map(isHeld));
    expect(await page.locator('.several').count()).toBeGreaterThan(50);
    expect(await findings(timetable)).toEqual([]);

    const { guest, slot } = own.at(-1)!;
    const { x, y } = drawn[instants.findIndex((at) => at > Date.parse(slot!.start))]!;
    await page.mouse.click(x, y);
    const { name } = guest as { name: string };
    expect(await timetable.panel.locator('h2').innerText()).toBe(name);
    await page.keyboard.press('Escape');
    const focused = () => page.evaluate<string>('document.activeElement.ariaLabel');
    expect(await focused()).toContain(`${name}, 2026-12-06`);
    for (let cell = 0; cell < 2; cell++) await page.keyboard.press('ArrowLeft');
    expect(await focused()).toContain(`${(own.at(-2)!.guest as { name: string }).name}, 2026-12-06`);

    // As a screen reader does, without a position.
    const several = timetable.row(room).locator('.several').first();
    expect(await several.getAttribute('aria-label')).toMatch(/^\d+ bookings, 2026-11-30, 04:00 to 2\d:\d\d$/);
    await several.evaluate((element: HTMLElement) => element.click());
    expect(await timetable.panel.locator('.entry', { hasNotText: 'Free' }).count()).toBe(own.length);
  });
});
