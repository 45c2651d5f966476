import { until } from 'testing';
import { client, desk, INTERFACE, service, slotOf } from '../support/timetable.js';

const { page, panel } = desk;
const DATE = '2026-12-08';
const LAB = `?date=${DATE}&zone=Europe/Berlin&filter=lab/`;

beforeAll(async () => {
  await client.create({ slot: slotOf('lab/a', '10:00', '11:00', DATE), guest: { name: 'Ada' } });
  await client.create({ slot: slotOf('lab/a', '11:45', '13:00', DATE), guest: { name: 'Zoë' } });
});

describe('A service that does not respond', () => {
  const SIGN_IN = 'Reload the page, and sign in: another server has';
  it.each<[string, number, Record<string, string>, string]>([
    ['a proxy that leads elsewhere, to sign in', 302, { Location: '/login' }, `${SIGN_IN} responded since`],
    ['a proxy that denies access', 401, { 'Content-Type': 'text/html' }, `${SIGN_IN} denied access since`],
    ['one that fails', 500, {}, 'The service has failed (500) since'],
  ])('is told from %s', async (_, status, headers, trouble) => {
    await desk.goTo();
    await page.route(INTERFACE, (route) => route.fulfill({ status, headers }));
    await desk.pass();
    await desk.says('trouble', trouble);
    expect(await page.locator('dialog[open]').count()).toBe(0);
  });

  it('is reported once', async () => {
    await desk.goTo();
    await page.route(INTERFACE, (route) => route.abort());
    await desk.pass();
    await page.getByText('The service has not responded since').waitFor();
    expect(await page.getByText('The service has not responded since').count()).toBe(1);
    expect(await page.locator('#toast').innerText()).toBe('');
  });
});

it.each([503, 429])(
  'the address of a booking opens it once a service that responds with %d has recovered',
  async (status) => {
    const slot = slotOf(`hall ${status}`, '10:00', '11:00');
    const { booking_id: id } = await client.create({ slot, title: 'Zoë' });
    await page.goto('about:blank');
    await page.route(INTERFACE, (route) => route.fulfill({ status }));
    await page.goto(`${service.url}/timetable?zone=Europe/Berlin#${id}`);
    await desk.says('toast', 'This booking cannot be read now. It opens as soon as it can be.');
    await page.unrouteAll();
    await until(() => desk.pass(30).then(() => panel.isVisible()));
    expect(await panel.innerText()).toContain('Zoë');
  },
);

it('a late response about a link closes nothing that has been opened since', async () => {
  await desk.goTo();
  const release = await desk.hold();
  const asked = page.waitForRequest(/missing$/);
  await page.evaluate(`location.hash = 'missing'`);
  await asked;
  await desk.press('n');
  await desk.enter({ name: 'Grace' });
  const answered = page.waitForResponse(/missing$/);
  release();
  await (await answered).finished();
  await desk.isDrawn();
  expect([await panel.isVisible(), await page.getByLabel('Name').inputValue()]).toEqual([true, 'Grace']);
});

it('what is not known is what was read four intervals ago: a failed poll hatches nothing, and moves nothing', async () => {
  await desk.goTo(LAB);
  const unread = page.locator('.unread');
  const free = () => page.locator('.free').count();
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

it('a deleted booking disappears, and its details close', async () => {
  await desk.goTo(LAB);
  await desk.booked('Ada').click();
  await page.route(INTERFACE, (route) => route.fulfill({ json: { bookings: [], next_cursor: null } }));
  // The toast passes with the clock, too.
  const said = desk.says('toast', 'This booking has been deleted.');
  await until(() => desk.pass().then(() => desk.booked('Ada').isHidden()));
  await said;
  expect(await panel.isVisible()).toBe(false);
});
