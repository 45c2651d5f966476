import { client, isInSight, slotOf, Timetable } from '../support/timetable.js';

const DAY = '2026-11-30';
const SMITH = { name: 'Margaret Smith' };

describe('On a phone', () => {
  let phone: Timetable;
  const agenda = () => phone.page.locator('#agenda');
  const texts = () => agenda().locator('.item').allInnerTexts();

  beforeAll(async () => {
    for (let half = 0; half < 16; half++) {
      const [from, to] = [half, half + 1].map((each) => `0${each >> 1}:${each % 2 ? '30' : '00'}`);
      await client.create({ slot: slotOf('hall', from!, to!, DAY), title: 'Past', guest: SMITH });
    }
    await client.create({ slot: slotOf('hall', '09:30', '11:00', DAY), title: 'Physio', guest: SMITH });
    await client.create({ slot: slotOf('room-1', '10:30', '11:00', DAY), title: 'Next', guest: SMITH });
    phone = await Timetable.open({ hasTouch: true, isMobile: true, locale: 'en-US' });
    await phone.page.setViewportSize({ width: 390, height: 780 });
    await phone.goTo('?zone=Europe/Berlin');
  });
  afterAll(() => phone.page.close());

  it('an agenda says who, where and until when, and opens at what is on now', async () => {
    expect((await texts()).slice(-2)).toEqual([
      '9:30 AM\nuntil 11:00 AM\nMargaret Smith · Physio\nhall',
      '10:30 AM\nuntil 11:00 AM\nMargaret Smith · Next\nroom-1',
    ]);
    expect(await agenda().locator('h2').allInnerTexts()).toEqual(['Mon Nov 30 · 18 bookings']);
    expect(await isInSight(agenda().locator('[aria-current=time]'))).toBe(true);
    await phone.isAccessible('an agenda');
  });

  it('a tap shows the details, and Back closes them', async () => {
    const now = agenda().locator('.now');
    expect((await now.boundingBox())!.height).toBeGreaterThanOrEqual(24);
    await now.tap();
    await phone.panel.filter({ hasText: 'Margaret Smith' }).waitFor();
    await phone.isAccessible('the details of a booking on a phone');
    await phone.page.goBack();
    await phone.panel.waitFor({ state: 'hidden' });
  });

  it('a search finds guests and resources, and free times can be booked', async () => {
    const { page } = phone;
    await page.locator('#filter').fill('smith room-1');
    expect(await texts()).toEqual(['10:30 AM\nuntil 11:00 AM\nMargaret Smith · Next\nroom-1']);
    await page.locator('#filter').fill('');
    await page.getByLabel('Free for').selectOption('480');
    await agenda().locator('.wanted', { hasText: 'room-1' }).tap();
    await phone.panel.getByRole('heading', { name: '11:00 AM to 7:00 PM' }).waitFor();
  });

  it('of little height, the page itself does not scroll, and what is wrong is in sight', async () => {
    const { page } = phone;
    await page.setViewportSize({ width: 375, height: 553 });
    await phone.goTo('?zone=Europe/Berlin');
    await phone.isDrawn();
    expect(await page.evaluate('[scrollY, document.querySelector("#agenda").scrollTop > 0]')).toEqual([0, true]);
    expect(await isInSight(page.locator('#status'))).toBe(true);
  });
});

it('a tablet has room for a search, also while it shows free times', async () => {
  const tablet = await Timetable.open({ viewport: { width: 768, height: 1024 } });
  await tablet.goTo();
  await tablet.page.getByLabel('Free for').selectOption('480');
  expect((await tablet.page.locator('#filter').boundingBox())!.width).toBeGreaterThan(90);
  await tablet.page.close();
});

it('a wall has no controls, and letters that can be read from afar, also in 4K', async () => {
  await client.create({ slot: slotOf('room-1', '08:10', '10:05', '2026-11-30'), guest: { name: 'Still on' } });
  const leaving = { resource_id: 'room-2', start: '2026-11-30T09:20:00+01:00', end: '2026-11-30T10:00:20+01:00' };
  await client.create({ slot: leaving, title: 'Leaving' });
  const wall = await Timetable.open({ viewport: { width: 1920, height: 540 } });
  await wall.goTo('?zone=Europe/Berlin&wall');
  const { page } = wall;
  expect(await page.locator('button:visible, input:visible, select:visible, a:visible').count()).toBe(0);
  expect(await page.locator('#clock').innerText()).toBe('10:00');
  expect(await page.locator('.booked.now').allInnerTexts()).toContain('Still on');
  const still = (await page.getByText('Still on').boundingBox())!;
  const names = (await page.locator('#head .name').boundingBox())!;
  expect(still.x).toBeGreaterThanOrEqual(names.x + names.width);
  const size = () =>
    page
      .locator('.name')
      .last()
      .evaluate((name) => Number.parseFloat(getComputedStyle(name).fontSize));
  expect(await size()).toBeGreaterThanOrEqual(20);
  await wall.isAccessible('a wall');
  await page.setViewportSize({ width: 3840, height: 2160 });
  expect(await size()).toBeGreaterThanOrEqual(40);
  await page.setViewportSize({ width: 1920, height: 540 });
  for (let turn = 0; turn < 5; turn++) {
    await wall.pass();
    await wall.isRead();
  }
  expect(await page.locator('.booked.now', { hasText: 'Leaving' }).count()).toBe(0);
  await wall.goTo('?zone=Europe/Berlin&wall&filter=nothing');
  await page.getByText('Nothing in this day matches this search.').waitFor();
  expect(await page.locator('button:visible').count()).toBe(0);
  await page.close();
});
