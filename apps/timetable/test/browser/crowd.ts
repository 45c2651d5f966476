import type { CDPSession } from 'playwright-core';
import { ServiceProcess } from 'testing';
import { FakeService } from '../support/fake-service.js';
import { ADDRESS, Timetable } from '../support/timetable.js';

const HOUR = 3_600_000;
const MONDAY = Date.parse('2026-11-30T00:00:00+01:00');

describe('With 200 resources, 2,000 bookings a day and 14,000 a week', () => {
  const fake = new FakeService();
  let service: ServiceProcess;
  let timetable: Timetable;
  let session: CDPSession;
  beforeAll(async () => {
    // Ten bookings a day of each room, of 15 to 90 minutes.
    const text = (instant: number) => new Date(instant).toISOString();
    fake.bookings = Array.from({ length: 14_000 }, (_, index) => {
      const [room, turn] = [index % 200, Math.floor(index / 200)];
      const start = MONDAY + Math.floor(turn / 10) * 24 * HOUR + (4 + (turn % 10) * 2) * HOUR;
      const end = start + ((1 + ((room + turn) % 6)) * HOUR) / 4;
      const slot = { resource_id: `floor-${room % 10}/room-${room}`, start: text(start), end: text(end) };
      return { booking_id: `id-${index + 10_000}`, created_at: text(MONDAY - 24 * HOUR + index), slot };
    });
    service = await ServiceProcess.start();
    timetable = await Timetable.blank({ viewport: { width: 3_840, height: 2_160 } });
    session = await timetable.page.context().newCDPSession(timetable.page);
    await timetable.page.route('**/v1/bookings?*', async (route) => {
      const { limit, ...query } = Object.fromEntries(new URL(route.request().url()).searchParams);
      await route.fulfill({ json: fake.page({ ...query, limit: Number(limit) }) }).catch(() => {});
    });
    await timetable.goTo(`${service.url}/timetable${ADDRESS}`);
  });
  afterAll(async () => {
    await timetable.close();
    await service.stop();
  });

  /** How many elements a screen of 4K has, also while it is scrolled. */
  async function expectFewElements(): Promise<void> {
    const { page } = timetable;
    for (let top = 0; top < 5_000; top += 970) {
      await page.evaluate(`document.querySelector('#grid').scrollTop = ${top}`);
      await timetable.frames();
      expect(await page.locator('.row:not(:empty)').count()).toBeGreaterThan(40);
      expect(await page.locator('*').count()).toBeLessThanOrEqual(1_500);
    }
  }

  it('a day has at most 1,500 elements', async () => {
    expect(await timetable.status.innerText()).toContain('2,000 bookings');
    await expectFewElements();
  });

  it('has as many elements and listeners however long it is used', async () => {
    const { page } = timetable;
    const use = async () => {
      for (const id of ['forth', 'back', 'new', 'close']) await page.locator(`#${id}`).click();
      await timetable.isRead();
      for (const top of [4_000, 0]) {
        await page.evaluate(`document.querySelector('#grid').scrollTop = ${top}`);
        await timetable.frames();
      }
      await page.locator('.booked').first().click();
      await page.locator('#close').click();
      await session.send('HeapProfiler.collectGarbage');
      return session.send('Memory.getDOMCounters');
    };
    await use();
    const before = await use();
    const isMore = ({ nodes, jsEventListeners }: typeof before) =>
      nodes > before.nodes || jsEventListeners > before.jsEventListeners;
    // A request that is being sent has listeners too.
    let after = await use();
    for (let turn = 0; turn < 10 && isMore(after); turn++) after = await use();
    expect(isMore(after)).toBe(false);
  });

  it('a week has at most 1,500 elements', async () => {
    await timetable.page.locator('#week').click();
    await timetable.status.filter({ hasText: '14,000 bookings' }).filter({ hasText: 'refreshed' }).waitFor();
    await expectFewElements();
  });
});
