import type { CDPSession } from 'playwright-core';
import { ServiceProcess } from 'testing';
import { FakeService } from './fake-service.js';
import { Timetable } from './timetable.js';

export const [ROOMS, OF_EACH, DAYS] = [200, 10, 7];
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export const MONDAY = Date.parse('2026-11-30T00:00:00+01:00');

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

/** A page of 200 resources, which have 2,000 bookings a day. */
export class Crowd {
  readonly fake = new FakeService();

  private constructor(
    readonly service: ServiceProcess,
    readonly timetable: Timetable,
    readonly session: CDPSession,
  ) {}

  static async open(): Promise<Crowd> {
    const timetable = await Timetable.blank({ viewport: { width: 1280, height: 800 } });
    const { page } = timetable;
    const crowd = new Crowd(await ServiceProcess.start(), timetable, await page.context().newCDPSession(page));
    fill(crowd.fake);
    await page.route('**/v1/bookings?*', async (route) => {
      const { limit, ...query } = Object.fromEntries(new URL(route.request().url()).searchParams);
      const { signal } = new AbortController();
      const { data } = await crowd.fake.client.list({ ...query, limit: Number(limit) }, { signal }).withResponse();
      await route.fulfill({ json: data }).catch(() => {});
    });
    await crowd.session.send('Performance.enable', { timeDomain: 'threadTicks' });
    return crowd;
  }

  async close(): Promise<void> {
    await this.timetable.close();
    await this.service.stop();
  }

  /** Two frames are drawn. */
  async frames(): Promise<void> {
    for (let frame = 0; frame < 2; frame++) {
      await this.timetable.page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))`);
    }
  }

  elements(): Promise<number> {
    return this.timetable.page.evaluate<number>(`document.querySelectorAll('*').length`);
  }

  /** Milliseconds of CPU that an act takes of the main thread in scripts, styles and layout. */
  async cpu(act: () => Promise<unknown>): Promise<number> {
    const measure = async () => {
      const { metrics } = await this.session.send('Performance.getMetrics');
      const of = (name: string) => metrics.find((metric) => metric.name === name)!.value;
      return (of('ScriptDuration') + of('LayoutDuration') + of('RecalcStyleDuration')) * 1_000;
    };
    const before = await measure();
    await act();
    return (await measure()) - before;
  }
}
