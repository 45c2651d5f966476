import type { CDPSession } from 'playwright-core';
import { until } from 'testing';
import { FakeService } from '../support/fake-service.js';
import { INTERFACE, Timetable } from '../support/timetable.js';

const HOUR = 3_600_000;
const MONDAY = Date.parse('2026-11-30T00:00:00+01:00');

describe('With 200 resources, 2,000 bookings a day and 14,000 a week', () => {
  let timetable: Timetable;
  let session: CDPSession;
  beforeAll(async () => {
    const fake = new FakeService();
    // Ten bookings a day of each room, of 15 to 90 minutes.
    for (let index = 0; index < 14_000; index++) {
      const [room, turn] = [index % 200, Math.floor(index / 200)];
      const start = MONDAY + Math.floor(turn / 10) * 24 * HOUR + (4 + (turn % 10) * 2) * HOUR;
      const end = start + ((1 + ((room + turn) % 6)) * HOUR) / 4;
      fake.create(`floor-${room % 10}/room-${room}`, start, end, MONDAY - 24 * HOUR + index);
    }
    timetable = await Timetable.open({ viewport: { width: 3_840, height: 2_160 } });
    session = await timetable.page.context().newCDPSession(timetable.page);
    await timetable.page.route(INTERFACE, async (route) => {
      const { limit, ...query } = Object.fromEntries(new URL(route.request().url()).searchParams);
      await route.fulfill({ json: fake.page({ ...query, limit: Number(limit) }) }).catch(() => {});
    });
    await timetable.goTo();
  });
  afterAll(() => timetable.close());

  /** Scrolls the grid, and waits until the page has noticed: its observer is older, so it is notified earlier. */
  function scrollTo(top: number): Promise<unknown> {
    return timetable.page.evaluate(`
      document.querySelector('#grid').scrollTop = ${top};
      new Promise((resolve) => new IntersectionObserver(resolve).observe(document.body));`);
  }

  /** How many elements a screen of 4K has, also while it is scrolled. */
  async function expectFewElements(): Promise<void> {
    for (let top = 0; top < 5_000; top += 970) {
      await scrollTo(top);
      expect(await timetable.page.locator('*').count()).toBeLessThanOrEqual(1_500);
    }
  }

  it('a day has at most 1,500 elements', async () => {
    await timetable.hasStatus('2,000 bookings');
    await expectFewElements();
  });

  it('has as many elements and listeners however long it is used', async () => {
    const use = async () => {
      for (const id of ['forth', 'back', 'new', 'close']) await timetable.page.locator(`#${id}`).click();
      await timetable.isRead();
      for (const top of [4_000, 0]) await scrollTo(top);
      await timetable.page.locator('.booked').first().click();
      await timetable.page.locator('#close').click();
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

  it('a row that is far away keeps its place in the document, and its focus', async () => {
    await timetable.page.locator('.cell[tabindex="0"]').focus();
    for (const top of [0, 4_000, 600, 0]) {
      await scrollTo(top);
      expect(await timetable.page.locator('.cell:focus').count()).toBe(1);
    }
  });

  it('print shows all rows', async () => {
    const { page } = timetable;
    expect(await page.locator('.row:empty').count()).toBeGreaterThan(0);
    // At once: a printer does not wait for what comes near.
    await page.evaluate(`matchMedia('print').addEventListener('change', () => {
      globalThis.emptyInPrint ??= document.querySelectorAll('.row:empty').length;
    })`);
    await page.emulateMedia({ media: 'print' });
    await until(async () => (await page.evaluate('globalThis.emptyInPrint')) !== undefined);
    expect(await page.evaluate('emptyInPrint')).toBe(0);
    const isWhole = `document.querySelector('#grid').scrollWidth <= innerWidth && document.querySelector('#grid').clientHeight > 200 * 40`;
    expect(await page.evaluate(isWhole)).toBe(true);
    await page.emulateMedia({ media: null });
  });

  it('a week has at most 1,500 elements', async () => {
    await timetable.page.locator('#week').click();
    await timetable.hasStatus(/^14,000 bookings .* refreshed/);
    await expectFewElements();
  });
});
