import { BookingsClient } from '@booking-service/client';
import { freePort, ServiceProcess } from 'testing';
import { ADDRESS, client, desk, INTERFACE, service, slotOf } from '../support/timetable.js';

const { page, panel } = desk;
const unread = page.locator('.unread');
const DATE = '2026-12-08';
const LAB = `?date=${DATE}&zone=Europe/Berlin&filter=lab/`;

describe('What is not known', () => {
  beforeAll(() => client.create({ slot: slotOf('lab/a', '10:00', '11:00', DATE), guest: { name: 'Ada' } }));
  const free = () => page.locator('.free').count();

  it('is hatched while a slow service has not responded, and cannot be booked by a click', async () => {
    const release = await desk.hold();
    await page.goto(`${service.url}/timetable${LAB}&free=60`);
    await page.getByLabel('Free for').selectOption('0');
    await unread.first().waitFor();
    expect(await unread.first().getAttribute('aria-label')).toBe('Not read, 00:00 to 24:00');
    expect([await unread.allInnerTexts(), await free()]).toEqual([['Not read', 'Not read'], 0]);
    expect(await page.locator('#grid').getAttribute('aria-busy')).toBe('true');
    await desk.hasStatus('reading, 0 % · What is hatched may be taken');
    await desk.choose('lab/a', 12.7);
    await desk.hasToast('This time has not been read.');
    await page.locator('[role=gridcell][tabindex="0"]').press('Enter');
    expect(await panel.isVisible()).toBe(false);
    release();
    await desk.isRead();
    expect(await unread.count()).toBe(0);
    expect(await page.locator('#grid').getAttribute('aria-busy')).toBe('false');
  });

  it('is what was read four intervals ago: a failed poll hatches nothing, and moves nothing', async () => {
    await desk.goTo(LAB);
    const place = () => desk.row('lab/b').boundingBox();
    const before = await place();
    await page.route(INTERFACE, (route) => route.abort('connectionreset'));
    await desk.pass();
    await desk.hasStatus(/has not responded since .* Next attempt at/);
    expect([await unread.count(), await place()]).toEqual([0, before]);
    await desk.pass(20);
    await desk.hasStatus('What is hatched may be taken');
    expect([await free(), await unread.count()]).toEqual([0, 3]);
    expect(await desk.booked('Ada').isVisible()).toBe(true);
    await page.emulateMedia({ forcedColors: 'active' });
    expect(await unread.first().evaluate((element) => getComputedStyle(element).outlineStyle)).toBe('dashed');
    await page.emulateMedia({ forcedColors: 'none' });
    await desk.isAccessible('unread time, while the service does not respond');
    await page.route(INTERFACE, (route) => route.fulfill({ status: 429, headers: { 'Retry-After': '60' } }));
    await page.getByRole('button', { name: 'Next day' }).click();
    await desk.hasStatus('The service has limited requests since');
    expect(await free()).toBe(0);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try now' }).click();
    await desk.isRead();
    expect(await unread.count()).toBe(0);
  });

  it('becomes known by itself: bookings of others appear, and deleted ones go', async () => {
    const port = String(await freePort());
    let other = await ServiceProcess.start({ PORT: port });
    const client = new BookingsClient({ baseUrl: other.url });
    await client.create({ slot: slotOf('room-1', '10:00', '11:00'), guest: { name: 'Ada' } });
    await desk.goTo(ADDRESS, other);
    await client.create({ slot: slotOf('lab/bench', '12:00', '13:00'), guest: { name: 'Marie' } });
    await desk.pass();
    await desk.booked('Marie').waitFor();
    await desk.booked('Ada').click();
    await other.stop();
    await desk.pass();
    await desk.hasStatus('has not responded');
    await desk.hasToast('has not responded');
    // The bookings were in the memory of the service that has stopped.
    other = await ServiceProcess.start({ PORT: port });
    await client.create({ slot: slotOf('room-1', '14:00', '15:00'), guest: { name: 'After' } });
    await desk.pass();
    await desk.booked('After').waitFor();
    while (await desk.booked('Ada').isVisible()) await desk.pass();
    await panel.waitFor({ state: 'hidden' });
    await desk.hasToast('This booking has been deleted.');
    await other.stop();
  });
});
