import type { CDPSession } from 'playwright-core';
import { ServiceProcess } from 'testing';
import { ADDRESS, create, describeInBrowser, slotOf, Timetable } from '../support/timetable.js';

const RESOURCES = 200;
const BOOKINGS_OF_EACH = 10;

/** Milliseconds of CPU that the main thread spent in scripts, styles and layout. */
async function cpu(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  const of = (name: string) => metrics.find((metric) => metric.name === name)!.value;
  return (of('ScriptDuration') + of('LayoutDuration') + of('RecalcStyleDuration')) * 1_000;
}

describeInBrowser(`With ${RESOURCES} resources and ${RESOURCES * BOOKINGS_OF_EACH} bookings`, () => {
  let service: ServiceProcess;
  let timetable: Timetable;
  let session: CDPSession;
  const figures: string[] = [];

  beforeAll(async () => {
    service = await ServiceProcess.start();
    const all = Array.from({ length: RESOURCES * BOOKINGS_OF_EACH }, (_, index) => {
      const hour = String(4 + (index % BOOKINGS_OF_EACH) * 2).padStart(2, '0');
      const room = Math.floor(index / BOOKINGS_OF_EACH);
      const resource = `floor-${room % 10}/room-${room}`;
      return { slot: slotOf(resource, `${hour}:00`, `${hour}:45`), guest: { name: `Guest ${index}` } };
    });
    for (let start = 0; start < all.length; start += 50) {
      await Promise.all(all.slice(start, start + 50).map((payload) => create(service, payload)));
    }
    timetable = await Timetable.blank();
    session = await timetable.page.context().newCDPSession(timetable.page);
    // CPU of the thread, so that a busy machine does not count.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  });
  afterAll(async () => {
    process.stderr.write(`Timetable: ${figures.join(', ')}.\n`);
    await timetable.close();
    await service.stop();
  });

  it('everything is read and drawn, with 1,500 nodes', async () => {
    const started = performance.now();
    await timetable.goTo(`${service.url}/timetable${ADDRESS}`);
    const wall = performance.now() - started;
    expect(await timetable.status.innerText()).toContain('2,000 bookings');
    const nodes = await timetable.page.evaluate<number>(`document.querySelectorAll('*').length`);
    const used = await cpu(session);
    figures.push(`read and drawn after ${wall.toFixed()} ms with ${used.toFixed()} ms of CPU, ${nodes} elements`);
    expect(nodes).toBeGreaterThan(500);
    expect(nodes).toBeLessThanOrEqual(1_500);
  });

  it.each([
    [2_560, 1_440, 1_500],
    [3_840, 2_160, 2_200],
  ])('at %d x %d there are at most %d', async (width, height, most) => {
    const { page } = timetable;
    const before = page.viewportSize()!;
    await page.setViewportSize({ width, height });
    await page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))`);
    const rows = await page.locator('.row').count();
    const nodes = await page.evaluate<number>(`document.querySelectorAll('*').length`);
    figures.push(`${nodes} at ${width} x ${height}`);
    await page.setViewportSize(before);
    expect(rows).toBeGreaterThan(height / 50);
    expect(nodes).toBeLessThanOrEqual(most);
  });

  it('drawing takes 150 ms of CPU', async () => {
    const zone = timetable.page.locator('#zone');
    await zone.focus();
    const before = await cpu(session);
    // The same day in another zone with the same time: everything is redrawn, and nothing is read.
    await zone.selectOption('Europe/Paris');
    await timetable.page.locator('#corner', { hasText: 'Europe/Paris' }).waitFor();
    await timetable.page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))`);
    const used = (await cpu(session)) - before;
    figures.push(`drawn anew with ${used.toFixed()} ms`);
    expect(used).toBeLessThanOrEqual(150);
  });

  it('ten new bookings take 40 ms of CPU', async () => {
    const before = await cpu(session);
    for (let index = 0; index < 10; index++) {
      await create(service, { slot: slotOf(`floor-${index}/room-${index}`, '02:00', '02:30'), guest: { name: 'New' } });
    }
    await timetable.status.filter({ hasText: '2,010 bookings' }).waitFor({ timeout: 8_000 });
    const used = (await cpu(session)) - before;
    figures.push(`ten new ones ${used.toFixed()} ms`);
    expect(used).toBeLessThanOrEqual(40);
  });

  it('a frame of scrolling takes 16 ms of CPU, and leaves 1,500 nodes', async () => {
    const before = await cpu(session);
    const frames = await timetable.page.evaluate<number[]>(`new Promise((resolve) => {
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
    const nodes = await timetable.page.evaluate<number>(`document.querySelectorAll('*').length`);
    figures.push(
      `a frame of scrolling p50 ${frames[30]!.toFixed()} ms, p95 ${frames[57]!.toFixed()} ms, ${used.toFixed(1)} ms of CPU`,
    );
    expect(used).toBeLessThanOrEqual(16);
    expect(nodes).toBeLessThanOrEqual(1_500);
  });

  it('an idle page takes one percent of CPU', async () => {
    const before = await cpu(session);
    await timetable.page.waitForTimeout(6_000);
    const share = ((await cpu(session)) - before) / 6_000;
    figures.push(`idle ${(share * 100).toFixed(2)} %`);
    expect(share).toBeLessThanOrEqual(0.01);
  });
});
