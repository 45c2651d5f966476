import type { CDPSession } from 'playwright-core';
import { ServiceProcess } from 'testing';
import { FakeService } from '../support/fake-service.js';
import { ADDRESS, Timetable } from '../support/timetable.js';

const HOUR = 3_600_000;
const MONDAY = Date.parse('2026-11-30T00:00:00+01:00');

/** Each of 200 rooms has ten bookings a day, of 15 to 90 minutes from each other hour on. */
function fill(fake: FakeService): void {
  const made = Array.from({ length: 14_000 }, (_, index) => {
    const [room, turn] = [index % 200, Math.floor(index / 200)];
    const start = MONDAY + Math.floor(turn / 10) * 24 * HOUR + (4 + (turn % 10) * 2) * HOUR;
    const [from, to, at] = [start, start + ((1 + ((room + turn) % 6)) * HOUR) / 4, MONDAY - 24 * HOUR + index];
    const text = (instant: number) => new Date(instant).toISOString();
    const slot = { resource_id: `floor-${room % 10}/room-${room}`, start: text(from), end: text(to) };
    const id = `old-${String(index).padStart(8, '0')}`;
    return { booking_id: id, created_at: text(at), slot, guest: { name: `Guest ${index}` } };
  });
  fake.bookings = made;
}

describe('With 200 resources, 2,000 bookings a day and 14,000 a week', () => {
  const fake = new FakeService();
  let service: ServiceProcess;
  let timetable: Timetable;
  let session: CDPSession;
  beforeAll(async () => {
    service = await ServiceProcess.start();
    timetable = await Timetable.blank({ viewport: { width: 1280, height: 800 } });
    const { page } = timetable;
    session = await page.context().newCDPSession(page);
    fill(fake);
    await page.route('**/v1/bookings?*', async (route) => {
      const { limit, ...query } = Object.fromEntries(new URL(route.request().url()).searchParams);
      await route.fulfill({ json: fake.page({ ...query, limit: Number(limit) }) }).catch(() => {});
    });
    await timetable.goTo(`${service.url}/timetable${ADDRESS}`);
  });
  afterAll(async () => {
    await timetable.close();
    await service.stop();
  });
  const elements = () => timetable.page.evaluate<number>(`document.querySelectorAll('*').length`);

  /** How many elements a screen of 4K has, also while it is scrolled. */
  async function expectFewElements(): Promise<void> {
    const { page } = timetable;
    await page.setViewportSize({ width: 3_840, height: 2_160 });
    for (let top = 0; top < 5_000; top += 970) {
      await page.evaluate(`document.querySelector('#grid').scrollTop = ${top}`);
      await timetable.frames();
      expect(await page.locator('.row:not(:empty)').count()).toBeGreaterThan(40);
      expect(await elements()).toBeLessThanOrEqual(1_500);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await timetable.frames();
  }

  it('a day has at most 1,500 elements', async () => {
    expect(await timetable.status.innerText()).toContain('2,000 bookings');
    await expectFewElements();
  });

  it('has as many elements and listeners however long it is used', async () => {
    const { page } = timetable;
    const use = async (times: number) => {
      for (let time = 0; time < times; time++) {
        await page.locator('#forth').click();
        await page.locator('#back').click();
        await timetable.isRead();
        await page.evaluate(`(async () => {
          const byId = (id) => document.getElementById(id);
          const acts = [
            () => byId('new').click(),
            () => byId('close').click(),
            () => (byId('grid').scrollTop = 4_000),
            () => document.querySelector('.booked').click(),
            () => byId('close').click(),
            () => (byId('grid').scrollTop = 0),
            () => {},
          ];
          for (const act of acts) {
            act();
            await new Promise(requestAnimationFrame);
          }
        })()`);
      }
      await session.send('HeapProfiler.collectGarbage');
      return session.send('Memory.getDOMCounters');
    };
    const before = await use(2);
    let after = before;
    // A request that is being sent has listeners too, and detached elements wait for their garbage collection.
    for (let turn = 0; turn < 10; turn++) {
      after = await use(1);
      if (after.nodes <= before.nodes && after.jsEventListeners <= before.jsEventListeners) break;
    }
    expect(after.jsEventListeners).toBeLessThanOrEqual(before.jsEventListeners);
    expect(after.nodes).toBeLessThanOrEqual(before.nodes);
  });

  it('a week has at most 1,500 elements', async () => {
    await timetable.page.locator('#week').click();
    await timetable.status.filter({ hasText: '14,000 bookings' }).filter({ hasText: 'refreshed' }).waitFor();
    await expectFewElements();
  });
});
