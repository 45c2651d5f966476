import type { Locator } from 'playwright-core';
import { ServiceProcess } from 'testing';
import { ADDRESS, at, create, PHONE, slotOf, Timetable } from '../support/timetable.js';

const DESK = { viewport: { width: 1280, height: 800 } };

/** Whether an element is whole within the grid, beside the names and below the hours. */
function isWholeInGrid(element: Locator): Promise<boolean> {
  return element.evaluate((own) => {
    const box = (selector: string) => document.querySelector(selector)!.getBoundingClientRect();
    const [cell, grid, corner] = [own.getBoundingClientRect(), box('#grid'), box('#corner')];
    const isBesideNames = cell.left >= corner.right - 1 && cell.right <= grid.right + 1;
    return isBesideNames && cell.top >= corner.bottom - 1 && cell.bottom <= grid.bottom + 1;
  });
}

/** Whether an element is within the window, and whether another one is over its middle. */
function isSeen(element: Locator) {
  return element.evaluate((own) => {
    const { left, top, right, bottom } = own.getBoundingClientRect();
    const isCovered = document.elementFromPoint((left + right) / 2, (top + bottom) / 2) !== own;
    return { id: own.id, isInWindow: top >= 0 && bottom <= innerHeight, isCovered };
  });
}

describe('The first minute of a new user', () => {
  let service: ServiceProcess;
  let timetable: Timetable;
  beforeAll(async () => {
    service = await ServiceProcess.start({ TIMETABLE_RESOURCES: 'room-1,room-2,room-3,room-4' });
    await create(service, { slot: slotOf('room-1', '10:00', '11:00'), guest: { name: 'Ada' } });
  });
  afterEach(() => timetable.close());
  afterAll(() => service.stop());

  it('the view stays after a drag, with the new booking whole in sight', async () => {
    timetable = await Timetable.open(service, ADDRESS, DESK);
    const { page } = timetable;
    const scrolled = () => page.evaluate<number>(`document.querySelector('#grid').scrollLeft`);
    const drag = (from: string, to: string) => timetable.drag('room-3', at(from), at(to));
    const first = await scrolled();
    await drag('14:00', '15:00');
    await page.locator('#cancel').click();
    await timetable.panel.waitFor({ state: 'hidden' });
    expect(await scrolled()).toBe(first);
    await page.keyboard.press('Enter');
    expect(await timetable.panel.locator('h2').innerText()).toBe('Tue 1 Dec, 14:00 to 15:00');
    await page.keyboard.press('Escape');
    await drag('18:00', '19:30');
    await timetable.book('Grace');
    await timetable.booked('Grace').waitFor();
    await timetable.panel.waitFor({ state: 'hidden' });
    expect(await isWholeInGrid(timetable.booked('Grace'))).toBe(true);
    expect(await scrolled()).toBe(first);
  });

  it('an open form is not replaced by the booking that is clicked to see who has it', async () => {
    timetable = await Timetable.open(service, ADDRESS, DESK);
    const { page } = timetable;
    await timetable.drag('room-2', at('09:00'), at('10:00'));
    await page.getByLabel('Name').fill('Grace');
    await timetable.booked('Ada').click();
    await page
      .locator('#toast', { hasText: 'Ada\u2069, Tue 1 Dec, 10:00 to 11:00. Finish or cancel the open form' })
      .waitFor();
    await timetable.choose('room-3', at('14:10'));
    expect(await page.getByLabel('Start', { exact: true }).inputValue()).toBe('2026-12-01T14:00');
    expect(await page.getByLabel('Name').inputValue()).toBe('Grace');
  });

  it('an empty page says what to do, with the form open; the name is remembered for the tab', async () => {
    const empty = await ServiceProcess.start();
    timetable = await Timetable.open(empty, ADDRESS, DESK);
    const { page } = timetable;
    await page.getByText('Nothing is booked at a time yet.').waitFor();
    await timetable.panel.waitFor();
    await page.keyboard.type('Sauna');
    await timetable.book('Grace');
    await timetable.booked('Grace').waitFor();
    await page.locator('#new').click();
    expect(await page.getByLabel('Name').inputValue()).toBe('Grace');
    await empty.stop();
  });

  it.each([
    ['at 200 percent of 1280 x 800', { viewport: { width: 640, height: 400 } }],
    ['on a phone with its bars', { ...PHONE, viewport: { width: 390, height: 560 } }],
    ['on a phone on its side', { ...PHONE, viewport: { width: 780, height: 340 } }],
  ])('%s, the form opens in sight, with its focus', async (_, options) => {
    timetable = await Timetable.open(service, ADDRESS, options);
    const { page } = timetable;
    await timetable.choose('room-2', at('09:10'));
    await page.getByLabel('Name').waitFor();
    await timetable.frames();
    expect(await isSeen(page.locator(':focus'))).toEqual({ id: 'name', isInWindow: true, isCovered: false });
  });
});
