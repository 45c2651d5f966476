import { ServiceProcess } from 'testing';
import { ADDRESS, client, desk, isInSight, slotOf, Timetable } from '../support/timetable.js';

const { page, panel } = desk;

describe('On a laptop', () => {
  beforeAll(() => page.setViewportSize({ width: 1280, height: 800 }));
  afterAll(() => page.setViewportSize({ width: 2100, height: 800 }));

  it('the view stays after a drag, with the new booking whole in sight', async () => {
    await desk.goTo();
    const scrolled = () => page.locator('#grid').evaluate(({ scrollLeft }) => scrollLeft);
    const first = await scrolled();
    await desk.drag('room-9', 14, 15);
    await page.locator('#cancel').click();
    await panel.waitFor({ state: 'hidden' });
    expect(await scrolled()).toBe(first);
    await desk.press('Enter');
    expect(await panel.locator('h2').innerText()).toBe('Tue 1 Dec, 14:00 to 15:00');
    await desk.press('Escape');
    await desk.drag('room-9', 18, 19.5);
    await desk.book('Grace');
    await panel.waitFor({ state: 'hidden' });
    expect(await isInSight(desk.row('room-9').locator('.booked'))).toBe(true);
    expect(await scrolled()).toBe(first);
  });
});

describe('On a small screen', () => {
  let phone: Timetable;
  beforeAll(async () => (phone = await Timetable.open({ hasTouch: true, isMobile: true, locale: 'en-US' })));
  afterAll(() => phone.page.close());

  it.each([
    ['at 200 percent of 1280 x 800', 640, 400, 14],
    ['on a phone with its bars', 390, 560, 16],
    ['on a phone on its side', 780, 340, 18],
    ['above a soft keyboard', 390, 330, 20],
  ])('%s a tap opens the form in sight, with its focus, which books', async (place, width, height, hour) => {
    await phone.page.setViewportSize({ width, height });
    await phone.goTo(`${ADDRESS}&filter=room-3`);
    await phone.choose('room-3', hour, 'tap');
    const name = phone.page.getByLabel('Name').and(phone.page.locator(':focus'));
    await name.waitFor();
    await phone.page.setViewportSize({ width, height: height - 60 });
    await phone.isDrawn();
    const inSight = ['#name:focus', '#close', '#book', 'header'].map((one) => isInSight(phone.page.locator(one)));
    expect(await Promise.all(inSight)).toEqual([true, true, true, false]);
    await name.fill(place);
    await phone.page.getByRole('button', { name: 'Book', exact: true }).tap();
    await phone.booked(place).waitFor();
  });

  it('a week fits the width, and begins on Sunday in locales where weeks do', async () => {
    const { page } = phone;
    await page.setViewportSize({ width: 390, height: 780 });
    await phone.goTo(ADDRESS.replace('day', 'week'));
    expect(await page.locator('.day').first().innerText()).toBe('Sun Nov 29');
    const sizes = await page.locator('#grid').evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
    expect(sizes).toEqual([390, 390]);
    for (const id of ['back', 'forth']) {
      const { width, height } = (await page.locator(`#${id}`).boundingBox())!;
      // The minimum of WCAG 2.5.8, Target Size.
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(24);
    }
    for (const id of ['today', 'back', 'date', 'forth', 'day', 'week', 'filter', 'new'])
      expect([id, await isInSight(page.locator(`#${id}`))]).toEqual([id, true]);
  });

  it('a search result is in sight, in the day that a week leads to, and in a day', async () => {
    await phone.page.setViewportSize({ width: 390, height: 780 });
    await client.create({ slot: slotOf('lab/b', '20:00', '21:00', '2026-12-10'), guest: { name: 'Katherine' } });
    await phone.goTo('?date=2026-12-10&span=week&zone=Europe/Berlin&filter=katherine');
    const line = phone.page.locator('.total.found > span');
    expect(await line.innerText()).toBe('8:00 PM \u2068Katherine\u2069');
    expect(await isInSight(line)).toBe(true);
    await phone.page.locator('.total.found').tap();
    await phone.isDrawn();
    expect(await isInSight(phone.booked('Katherine'))).toBe(true);
    await phone.goTo('?date=2026-12-10&zone=Europe/Berlin');
    expect(await isInSight(phone.booked('Katherine'))).toBe(false);
    await phone.page.getByLabel('Search').fill('katherine');
    await phone.isDrawn();
    expect(await isInSight(phone.booked('Katherine'))).toBe(true);
    await phone.page.reload();
    await phone.isRead();
    expect(await isInSight(phone.booked('Katherine'))).toBe(true);
  });

  it('an empty page says what to do, with the form open; the name is remembered for the tab', async () => {
    const { page } = phone;
    const empty = await ServiceProcess.start();
    await phone.goTo(ADDRESS, empty);
    await page.getByText('Nothing is booked here yet.').waitFor();
    await phone.panel.waitFor();
    await phone.isAccessible('a phone without bookings');
    await page.keyboard.type('Sauna');
    await phone.book('Grace');
    await phone.booked('Grace, 9:00 AM to 10:00 AM').waitFor();
    await page.locator('#new').click();
    expect(await page.getByLabel('Name').inputValue()).toBe('Grace');
    await empty.stop();
  });
});
