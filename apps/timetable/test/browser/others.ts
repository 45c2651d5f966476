import { until } from 'testing';
import { client, desk, INTERFACE, service, slotOf, Timetable } from '../support/timetable.js';

const { page, panel, fault } = desk;
const unread = page.locator('.unread');
const DATE = '2026-12-08';
const LAB = `?date=${DATE}&zone=Europe/Berlin&filter=lab/`;

beforeAll(async () => {
  await client.create({ slot: slotOf('lab/a', '10:00', '11:00', DATE), guest: { name: 'Ada' } });
  await client.create({ slot: slotOf('lab/a', '11:45', '13:00', DATE), guest: { name: 'Zoë' } });
});

describe('What is not known', () => {
  const free = () => page.locator('.free').count();

  it('is hatched while a slow service has not responded, and cannot be booked by a click', async () => {
    const release = await desk.hold();
    await page.goto(`${service.url}/timetable${LAB}&free=60`);
    await page.getByLabel('Free for').selectOption('');
    await unread.first().waitFor();
    expect(await unread.first().getAttribute('aria-label')).toBe('Not read, 00:00 to 24:00');
    expect([await unread.allInnerTexts(), await free()]).toEqual([['Not read', 'Not read'], 0]);
    expect(await page.locator('#grid').getAttribute('aria-busy')).toBe('true');
    await desk.says('status', '0 % read · Hatched time may be taken');
    await desk.choose('lab/a', 12.7);
    await desk.says('toast', 'This time has not been read.');
    await page.locator('[role=gridcell][tabindex="0"]').press('Enter');
    expect(await panel.isVisible()).toBe(false);
    release();
    await page.locator('#grid[aria-busy=false]').waitFor();
    expect(await unread.count()).toBe(0);
  });

  it('is what was read four intervals ago: a failed poll hatches nothing, and moves nothing', async () => {
    await desk.goTo(LAB);
    const place = () => desk.row('lab/b').boundingBox();
    const before = await place();
    await page.context().setOffline(true);
    await desk.pass();
    await desk.says('trouble', 'You are offline since');
    await desk.says('status', 'Next attempt at');
    expect([await unread.count(), await place()]).toEqual([0, before]);
    await desk.pass(20);
    await desk.says('status', 'Hatched time may be taken');
    // A short time is hatched too, but has no room to say so: only its label does.
    expect(await desk.row('lab/a').locator('.unread').allInnerTexts()).toEqual(['Not read', '', 'Not read']);
    expect([await free(), await unread.count()]).toEqual([0, 4]);
    expect(await desk.booked('Ada').isVisible()).toBe(true);
    await page.emulateMedia({ forcedColors: 'active' });
    expect(await unread.first().evaluate((element) => getComputedStyle(element).outlineStyle)).toBe('dashed');
    await page.emulateMedia({ forcedColors: 'none' });
    await desk.isAccessible('unread time, while the service does not respond');
    await page.route(INTERFACE, (route) => route.fulfill({ status: 429, headers: { 'Retry-After': '60' } }));
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Later' }).click();
    await desk.says('trouble', 'Too many requests: the service has rejected reads since');
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try now' }).click();
    await desk.isRead();
  });
});

describe('A service that does not respond', () => {
  it('is told from a proxy that leads elsewhere, to sign in', async () => {
    await desk.goTo(LAB);
    await page.route(INTERFACE, (route) => route.fulfill({ status: 302, headers: { Location: '/login' } }));
    await desk.pass();
    await desk.says('trouble', /^Reload the page, and sign in: another server has responded since/);
  });

  it('is reported once', async () => {
    await desk.goTo(LAB);
    await page.route(INTERFACE, (route) => route.abort());
    await desk.pass();
    await page.getByText('The service has not responded since').waitFor();
    expect(await page.getByText('The service has not responded since').count()).toBe(1);
    expect(await page.locator('#toast').innerText()).toBe('');
  });
});

describe('What others do', () => {
  it('in another tab at the same time is a clash, which is outlined; the form books another time', async () => {
    await desk.goTo();
    await desk.drag('room-4', 15, 16);
    const other = new Timetable(await page.context().newPage());
    await other.goTo();
    await other.drag('room-4', 15.5, 17);
    await other.book('Winner');
    await other.booked('Winner').waitFor();
    await client.create({ slot: slotOf('room-4', '15:00', '15:15'), guest: { name: 'Early' } });
    // Browsers draw a tab in the background only once a second.
    await page.bringToFront();
    await desk.pass();
    const length = page.getByRole('status').and(page.locator('#length'));
    const overlaps = 'Overlaps \u2068Early\u2069, 15:00 to 15:15; \u2068Winner\u2069, 15:30 to 17:00';
    await length.filter({ hasText: `1 h in Europe/Berlin · ${overlaps}` }).waitFor();
    await desk.book('Loser');
    await length.filter({ hasText: `Taken, nothing was booked. ${overlaps}` }).waitFor();
    expect(await fault.isVisible()).toBe(false);
    const sideOf = async (selector: string) => Math.round((await page.locator(selector).boundingBox())!.x);
    expect(await sideOf('#open')).toBe(await sideOf('.booked[aria-label^=Winner]'));
    await desk.isAccessible('a clash');
    await desk.enter({ start: '2026-12-01T17:00' });
    expect(await length.innerText()).toBe('1 h in Europe/Berlin');
    await desk.book();
    await desk.booked('Loser').waitFor();
    expect(await page.locator('#marks > :visible').count()).toBe(0);
    await other.page.bringToFront();
    await other.pass();
    await other.booked('Loser').waitFor();
    await other.page.close();
  });

  it('a deleted booking disappears, and its details close', async () => {
    await desk.goTo(LAB);
    await desk.booked('Ada').click();
    await page.route(INTERFACE, (route) => route.fulfill({ json: { bookings: [], next_cursor: null } }));
    await until(() => desk.pass().then(() => desk.booked('Ada').isHidden()));
    await desk.says('toast', 'This booking has been deleted.');
    expect(await panel.isVisible()).toBe(false);
  });
});
