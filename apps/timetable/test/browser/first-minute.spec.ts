import type { Locator } from 'playwright-core';
import { ServiceProcess } from 'testing';
import { ADDRESS, create, DAY, describeInBrowser, slotOf, Timetable } from '../support/timetable.js';

const DESK = { viewport: { width: 1280, height: 800 } };
const at = (time: string) => `${DAY}T${time}:00+01:00`;

/** Whether an element is whole within the grid, beside the names and below the hours. */
function isWholeInGrid(element: Locator): Promise<boolean> {
  return element.evaluate((own) => {
    const box = (selector: string) => document.querySelector(selector)!.getBoundingClientRect();
    const [cell, grid, corner] = [own.getBoundingClientRect(), box('#grid'), box('#corner')];
    const isBesideNames = cell.left >= corner.right - 1 && cell.right <= grid.right + 1;
    return isBesideNames && cell.top >= corner.bottom - 1 && cell.bottom <= grid.bottom + 1;
  });
}

describeInBrowser('The first minute of a new user', () => {
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
    await drag('18:00', '19:30');
    await timetable.book('Grace');
    await timetable.booked('Grace').waitFor();
    await timetable.panel.waitFor({ state: 'hidden' });
    expect(await isWholeInGrid(timetable.booked('Grace'))).toBe(true);
    expect(await scrolled()).toBe(first);
  });
});
