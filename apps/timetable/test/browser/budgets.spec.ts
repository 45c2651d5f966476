import { Crowd } from '../support/crowd.js';
import { ADDRESS, describeInBrowser } from '../support/timetable.js';

describeInBrowser('With 200 resources, 2,000 bookings a day and 14,000 a week', () => {
  let crowd: Crowd;
  beforeAll(async () => {
    crowd = await Crowd.open();
    await crowd.timetable.goTo(`${crowd.service.url}/timetable${ADDRESS}`);
  });
  afterAll(() => crowd.close());

  /** How many elements a screen has, with its rows. */
  async function elementsAt(width: number, height: number): Promise<number> {
    const { page } = crowd.timetable;
    await page.setViewportSize({ width, height });
    await crowd.frames();
    await crowd.frames();
    expect(await page.locator('.row').count()).toBeGreaterThan(height / 50);
    const count = await crowd.elements();
    await page.setViewportSize({ width: 1280, height: 800 });
    await crowd.frames();
    return count;
  }

  it('a day has at most 1,500 elements at 4K, also while it is scrolled', async () => {
    expect(await crowd.timetable.status.innerText()).toContain('2,000 bookings');
    expect(await elementsAt(3_840, 2_160)).toBeLessThanOrEqual(1_500);
    for (let top = 0; top < 5_000; top += 97) {
      await crowd.timetable.page.evaluate(`document.querySelector('#grid').scrollTop = ${top}`);
    }
    await crowd.frames();
    expect(await crowd.elements()).toBeLessThanOrEqual(1_500);
  });

  it('has as many elements and listeners however long it is used', async () => {
    const { page } = crowd.timetable;
    const use = async (times: number): Promise<void> => {
      for (let time = 0; time < times; time++) {
        for (const id of ['week', 'day']) {
          await page.locator(`#${id}`).click();
          await crowd.timetable.isRead();
        }
        await page.evaluate(`(async () => {
          const byId = (id) => document.getElementById(id);
          const frame = () => new Promise(requestAnimationFrame);
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
            await frame();
          }
        })()`);
      }
    };
    const measure = async (): Promise<{ nodes: number; jsEventListeners: number }> => {
      await crowd.session.send('HeapProfiler.collectGarbage');
      return crowd.session.send('Memory.getDOMCounters');
    };
    await use(1);
    const before = await measure();
    await use(2);
    let after = await measure();
    // A request that is being sent has listeners too.
    const isMore = () => after.jsEventListeners > before.jsEventListeners || after.nodes > before.nodes;
    for (let turn = 0; turn < 50 && isMore(); turn++) {
      await page.waitForTimeout(100);
      after = await measure();
    }
    expect(after.jsEventListeners).toBeLessThanOrEqual(before.jsEventListeners);
    expect(after.nodes).toBeLessThanOrEqual(before.nodes);
  });

  it('a week has at most 1,500 elements at 4K; the count of a crowded day leads to it', async () => {
    const { page } = crowd.timetable;
    await page.locator('#week').click();
    await crowd.timetable.status.filter({ hasText: '14,000 bookings' }).waitFor();
    await crowd.timetable.isRead();
    expect(await elementsAt(3_840, 2_160)).toBeLessThanOrEqual(1_500);
    const count = crowd.timetable.row('floor-0/room-0').locator('.crowd').nth(2);
    expect(await count.getAttribute('aria-label')).toMatch(
      /^10 bookings, Wed 2 Dec, 04:00 to 2\d:\d\d: show this day$/,
    );
    expect(await count.innerText()).toBe('10 bookings');
    await count.focus();
    await page.keyboard.press('Enter');
    await crowd.timetable.isRead();
    expect(await page.locator('h1').innerText()).toBe('Wed, 2 Dec 2026');
    expect(await crowd.timetable.focused()).toContain('Guest');
  });
});
