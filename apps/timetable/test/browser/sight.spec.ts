import type { BrowserContextOptions, Locator } from 'playwright-core';
import { ServiceProcess } from 'testing';
import { ADDRESS, create, describeInBrowser, slotOf, Timetable } from '../support/timetable.js';

const SIZES = {
  desk: { width: 1280, height: 800 },
  magnified: { width: 320, height: 200 },
  phone: { width: 390, height: 780 },
  side: { width: 780, height: 390 },
};
const DESK: BrowserContextOptions = {};
const PHONE: BrowserContextOptions = { viewport: SIZES.phone, hasTouch: true, isMobile: true };

/** Whether an element is within the grid, beside the names and below the hours, and nothing of the panel is over it. */
async function isInSight(mark: Locator): Promise<boolean> {
  await mark.waitFor();
  return mark.evaluate((element) => {
    const own = element.getBoundingClientRect();
    const box = (selector: string) => document.querySelector(selector)!.getBoundingClientRect();
    const [grid, panel, corner] = [box('#grid'), box('#panel'), box('#corner')];
    const isInGrid =
      own.left >= corner.right - 1 &&
      own.right <= grid.right + 1 &&
      own.top >= corner.bottom - 1 &&
      own.bottom <= grid.bottom + 1;
    const isCovered =
      own.left < panel.right && own.right > panel.left && own.top < panel.bottom && own.bottom > panel.top;
    return isInGrid && !isCovered;
  });
}

describeInBrowser('What is in sight', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    const rooms = Array.from({ length: 12 }, (_, index) => `room-${index + 1}`);
    service = await ServiceProcess.start({ TIMETABLE_RESOURCES: [...rooms, 'lisbon/reading-room-1'].join(',') });
    await create(service, { slot: slotOf('room-12', '21:00', '22:00'), guest: { name: 'Ada' } });
  });
  afterAll(async () => {
    for (const timetable of opened.values()) await timetable.close();
    await service.stop();
  });

  /** The page on a screen, which keeps its browser context. */
  const opened = new Map<BrowserContextOptions, Timetable>();
  async function open(
    screen: BrowserContextOptions,
    query = ADDRESS,
    { width, height } = SIZES.desk,
  ): Promise<Timetable> {
    const timetable = opened.get(screen) ?? (await Timetable.blank(screen));
    opened.set(screen, timetable);
    await timetable.page.setViewportSize({ width, height });
    await timetable.goTo(`${service.url}/timetable${query}`);
    return timetable;
  }

  it.each([
    ['1280 x 800', DESK, SIZES.desk],
    ['a phone', PHONE, SIZES.phone],
    ['a phone on its side', PHONE, SIZES.side],
    ['400 percent of 1280 x 800', DESK, SIZES.magnified],
  ])('on %s: what is open, what is being booked and what conflicts with it', async (_, screen, size) => {
    const timetable = await open(screen, ADDRESS, size);
    const { page } = timetable;
    await page.evaluate(`document.querySelector('#grid').scrollTo(5_000, 5_000)`);
    const { x, y } = await revealed(timetable.booked('Ada'));
    await (screen.hasTouch ? page.touchscreen.tap(x, y) : page.mouse.click(x, y));
    expect(await isInSight(page.locator('.open'))).toBe(true);
    await page.locator('#close').click();

    await page.getByRole('button', { name: 'New booking' }).click();
    await page.getByLabel('Resource', { exact: true }).fill('room-12');
    await timetable.enter('start', '2026-12-01 20:30');
    await page.getByLabel('Name').waitFor();
    expect(await isInSight(page.locator('.chosen'))).toBe(true);
    expect(await page.locator('.chosen').getAttribute('class')).toContain('clash');
    await timetable.book('Grace');
    await timetable.fault.waitFor();
    expect(await isInSight(page.locator('.held'))).toBe(true);
    const isReadable = timetable.fault.evaluate((fault) => {
      const { top, bottom } = fault.getBoundingClientRect();
      const buttons = document.querySelector('#form .actions')!.getBoundingClientRect().top;
      return top >= 0 && bottom <= Math.min(innerHeight, buttons) + 1;
    });
    expect(await isReadable).toBe(true);
  });

  it('no control lies over another, at any width', async () => {
    const timetable = await open(DESK, `${ADDRESS.replace('day', 'week')}&free=60&at=14:00`);
    const { page } = timetable;
    for (const width of [1280, 1179, 1140, 1101, 800, 641, 390]) {
      await page.setViewportSize({ width, height: 700 });
      if (width === 390) await page.locator('#menu').click();
      const overlaps = await page.evaluate(() => {
        const controls = [...document.querySelectorAll<HTMLElement>('header :is(button, select, input:not(#date))')];
        const boxes = controls.map((element) => ({ id: element.id, box: element.getBoundingClientRect() }));
        const shown = boxes.filter(({ box }) => box.width > 0);
        const outside = shown.filter(({ box }) => box.right > innerWidth || box.left < 0).map(({ id }) => id);
        const isOver = (one: DOMRect, other: DOMRect) =>
          one.left < other.right - 1.5 &&
          one.right > other.left + 1.5 &&
          one.top < other.bottom - 1 &&
          one.bottom > other.top + 1;
        const pairs = shown.flatMap((one, index) => shown.slice(index + 1).map((other) => [one, other] as const));
        const over = pairs.filter(([one, other]) => isOver(one.box, other.box));
        return [...outside, ...over.map(([one, other]) => `${one.id} and ${other.id}`)];
      });
      expect([width, overlaps]).toEqual([width, []]);
    }
  });

  it('on a phone, names have two lines, and the headings of a week say their days wherever it is scrolled', async () => {
    const timetable = await open(PHONE, ADDRESS, SIZES.phone);
    const { page } = timetable;
    const name = timetable.row('lisbon/reading-room-1').locator('.name span');
    await name.scrollIntoViewIfNeeded();
    expect(await name.evaluate((element) => element.scrollHeight <= element.clientHeight + 1)).toBe(true);
    await page.getByRole('button', { name: 'View', exact: true }).tap();
    await page.getByRole('button', { name: 'Week' }).tap();
    await page.locator('.day').first().waitFor();
    const unsaid = await page.evaluate(() => {
      const [grid, corner] = [document.querySelector('#grid')!, document.querySelector('#corner')!];
      const missing: number[] = [];
      for (let left = 0; left < grid.scrollWidth - grid.clientWidth; left += 53) {
        grid.scrollLeft = left;
        const [from, to] = [corner.getBoundingClientRect().right, grid.getBoundingClientRect().right];
        const isSaid = [...document.querySelectorAll('.day span')].some((element) => {
          const { left: start, right } = element.getBoundingClientRect();
          return start >= from - 1 && right <= to + 1;
        });
        if (!isSaid) missing.push(left);
      }
      return missing;
    });
    expect(unsaid).toEqual([]);
  });

  it('texts stay inside their boxes', async () => {
    for (const [hour, minutes] of [
      ['08', '15'],
      ['09', '30'],
      ['10', '45'],
    ]) {
      const slot = slotOf('room-2', `${hour}:00`, `${hour}:${minutes}`);
      await create(service, { slot, guest: { name: 'A name that is longer than its box' } });
    }
    const timetable = await open(DESK);
    const styles = await timetable
      .row('room-2')
      .locator('.booked')
      .evaluateAll((boxes) => boxes.map((box) => getComputedStyle(box).overflow));
    expect(styles).toEqual(['clip', 'clip', 'clip']);
  });

  it('the label of a long booking stays in sight while its box does', async () => {
    await create(service, { slot: slotOf('room-3', '01:00', '23:00'), guest: { name: 'Whole day' } });
    const timetable = await open(PHONE, ADDRESS, SIZES.phone);
    const { page } = timetable;
    const label = timetable.booked('Whole day').locator('span');
    for (const left of [0, 300, 700]) {
      await page.evaluate(`document.querySelector('#grid').scrollLeft = ${left}`);
      await page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))`);
      const { x, width } = (await label.boundingBox())!;
      expect(x).toBeGreaterThan(104);
      expect(x + width).toBeLessThan(390);
    }
  });
});

/** The middle of an element, scrolled into view. */
async function revealed(element: Locator): Promise<{ x: number; y: number }> {
  await element.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await element.boundingBox())!;
  return { x: x + width / 2, y: y + height / 2 };
}
