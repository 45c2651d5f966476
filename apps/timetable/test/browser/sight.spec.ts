import type { BrowserContextOptions, Locator } from 'playwright-core';
import { ServiceProcess } from 'testing';
import { ADDRESS, create, describeInBrowser, PHONE, slotOf, Timetable } from '../support/timetable.js';

const MAGNIFIED = { viewport: { width: 320, height: 200 } };
const DESK = { viewport: { width: 1280, height: 800 } };

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
  let timetable: Timetable;
  beforeAll(async () => {
    const rooms = Array.from({ length: 12 }, (_, index) => `room-${index + 1}`);
    service = await ServiceProcess.start({ TIMETABLE_RESOURCES: [...rooms, 'lisbon/reading-room-1'].join(',') });
    await create(service, { slot: slotOf('room-12', '21:00', '22:00'), guest: { name: 'Ada' } });
  });
  afterEach(() => timetable.close());
  afterAll(() => service.stop());

  const open = async (options: BrowserContextOptions, query = ADDRESS) => {
    timetable = await Timetable.open(service, query, { ...options, locale: 'en-US' });
    return timetable.page;
  };

  it.each([
    ['1280 x 800', DESK],
    ['a phone', PHONE],
    ['a phone on its side', { ...PHONE, viewport: { width: 780, height: 390 } }],
    ['400 percent of 1280 x 800', MAGNIFIED],
  ])('on %s: what is open, what is being booked and what conflicts with it', async (_, options) => {
    const page = await open(options);
    await page.evaluate(`document.querySelector('#grid').scrollTo(5_000, 5_000)`);
    await timetable.booked('Ada').scrollIntoViewIfNeeded();
    await timetable.booked('Ada').click();
    expect(await isInSight(page.locator('.open'))).toBe(true);
    await page.locator('#close').click();
    await page.getByRole('button', { name: 'New booking' }).click();
    await page.getByLabel('Resource', { exact: true }).fill('room-12');
    await timetable.enter('start', '2026-12-01 20:30');
    expect(await isInSight(page.locator('.chosen'))).toBe(true);
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

  it('on a phone: what to press, within its width', async () => {
    const page = await open(PHONE);
    const expectWithin = async (...ids: string[]): Promise<void> => {
      for (const id of ids) {
        const { x, width } = (await page.locator(`#${id}`).boundingBox())!;
        expect([id, x >= 0 && x + width <= 390]).toEqual([id, true]);
      }
    };
    await expectWithin('today', 'back', 'forth', 'pick', 'new');
    await page.locator('#menu').click();
    await expectWithin('filter', 'free', 'day', 'week', 'zone');
  });

  it('a week has seven days, from Sunday where that is so, and one form of dates and times', async () => {
    const page = await open(DESK, ADDRESS.replace('span=day', 'span=week'));
    expect(await page.locator('.day').allInnerTexts()).toEqual([
      'Sun Nov 29',
      'Mon Nov 30',
      'Tue Dec 1',
      'Wed Dec 2',
      'Thu Dec 3',
      'Fri Dec 4',
      'Sat Dec 5',
    ]);
    expect(
      await page.evaluate(`document.querySelector('#grid').scrollWidth <= document.querySelector('#grid').clientWidth`),
    ).toBe(true);
    // Too narrow for its name.
    const box = timetable.booked('Ada');
    expect(await box.getAttribute('aria-label')).toBe('Ada, Tue Dec 1, 9:00 PM to 10:00 PM');
    expect(await box.getAttribute('title')).toContain('Ada\nTue Dec 1, 9:00 PM to 10:00 PM');
    await box.click();
    expect(await timetable.panel.innerText()).toMatch(/When\s+Tue Dec 1, 9:00 PM to 10:00 PM/);
    expect(await timetable.panel.innerText()).toMatch(/Created\s+\w+ \w+ \d+(?: \d+)?, \d+:\d\d [AP]M/);
    expect(await timetable.status.innerText()).toMatch(/updated \d\d?:\d\d [AP]M,/);
  });

  it('what is said of an empty day is below the rows', async () => {
    const page = await open(DESK, ADDRESS.replace('12-01', '12-24'));
    const [text, row] = [page.locator('#empty span'), timetable.row('lisbon/reading-room-1')];
    expect(await text.innerText()).toBe('Nothing is booked here. Choose free time to book it.');
    expect((await text.boundingBox())!.y).toBeGreaterThan((await row.boundingBox())!.y + 40);
  });
});
