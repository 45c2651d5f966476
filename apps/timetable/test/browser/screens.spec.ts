import { ServiceProcess } from 'testing';
import { ADDRESS, client, desk, INTERFACE, isInSight, slotOf, Timetable } from '../support/timetable.js';

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
    await phone.goTo(`${ADDRESS}&as=rows&filter=room-3`);
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

  it('opens with an agenda of who, where and until when, at what is on now; a tap shows the details', async () => {
    const { page } = phone;
    await page.setViewportSize({ width: 390, height: 780 });
    const past = Array.from({ length: 16 }, (_, hour) => ['hall', `0${hour >> 1}:${hour % 2 ? '30' : '00'}`, 'Past']);
    const others = [
      ['hall', '09:30', 'Physio'],
      ['room-1', '10:30', 'Next'],
    ];
    for (const [resource, from, title] of [...past, ...others] as [string, string, string][]) {
      const start = Date.parse(`2026-11-30T${from}:00+01:00`);
      const slot = {
        resource_id: resource,
        start: new Date(start),
        end: new Date(start + 1_800_000 + (title === 'Physio' ? 1 : 0) * 3_600_000),
      };
      await client.create({ slot, title, guest: { name: 'Margaret Smith' } });
    }
    await phone.goTo('?zone=Europe/Berlin');
    const texts = () => page.locator('#agenda .item').allInnerTexts();
    expect((await texts()).slice(-2)).toEqual([
      '9:30 AM\nuntil 11:00 AM\nPhysio · Margaret Smith\nhall',
      '10:30 AM\nuntil 11:00 AM\nNext · Margaret Smith\nroom-1',
    ]);
    expect(await page.locator('#agenda h2').allInnerTexts()).toEqual(['Mon Nov 30 · 18 bookings']);
    expect(await isInSight(page.locator('#agenda [aria-current=time]'))).toBe(true);
    await phone.isAccessible('an agenda');
    const { height } = (await page.locator('#agenda .now').boundingBox())!;
    expect(height).toBeGreaterThanOrEqual(24);
    await page.locator('#agenda .now').tap();
    await phone.panel.filter({ hasText: 'Margaret Smith' }).waitFor();
    await phone.isAccessible('the details of a booking on a phone');
    await page.goBack();
    await phone.panel.waitFor({ state: 'hidden' });
    await page.locator('#filter').fill('smith room-1');
    expect(await texts()).toEqual(['10:30 AM\nuntil 11:00 AM\nNext · Margaret Smith\nroom-1']);
    await page.locator('#filter').fill('');
    await page.getByLabel('Free for').selectOption('480');
    await page.locator('#agenda .wanted', { hasText: 'room-1' }).tap();
    await phone.panel.getByRole('heading', { name: '11:00 AM to 7:00 PM' }).waitFor();
  });

  it('a week is an agenda, begins on Sunday in locales where weeks do, and has its controls in sight', async () => {
    const { page } = phone;
    await page.setViewportSize({ width: 390, height: 780 });
    await phone.goTo(ADDRESS.replace('day', 'week'));
    expect(await page.locator('#agenda h2').first().innerText()).toMatch(/^Sun Nov 29 · /);
    expect(await page.locator('#grid').isVisible()).toBe(false);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    for (const id of ['back', 'forth']) {
      const { width, height } = (await page.locator(`#${id}`).boundingBox())!;
      // The minimum of WCAG 2.5.8, Target Size.
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(24);
    }
    for (const id of ['today', 'back', 'date', 'forth', 'day', 'week', 'filter', 'new'])
      expect([id, await isInSight(page.locator(`#${id}`))]).toEqual([id, true]);
  });

  it('a search result is in sight in the rows of a day', async () => {
    const { page } = phone;
    await page.setViewportSize({ width: 390, height: 780 });
    await client.create({ slot: slotOf('lab/b', '20:00', '21:00', '2026-12-10'), guest: { name: 'Katherine' } });
    await phone.goTo('?date=2026-12-10&zone=Europe/Berlin&as=rows');
    expect(await isInSight(phone.booked('Katherine'))).toBe(false);
    await page.getByLabel('Search').fill('katherine');
    await phone.isDrawn();
    expect(await isInSight(phone.booked('Katherine'))).toBe(true);
    await page.reload();
    await phone.isRead();
    expect(await isInSight(phone.booked('Katherine'))).toBe(true);
  });

  it('an empty page says what to do, with the form open; the next form has no name', async () => {
    const { page } = phone;
    const empty = await ServiceProcess.start();
    await phone.goTo(ADDRESS, empty);
    await page.getByText('Nothing is booked here yet.').waitFor();
    await phone.panel.waitFor();
    await phone.isAccessible('a phone without bookings');
    await page.keyboard.type('Sauna');
    await phone.book('Grace');
    await phone.says('toast', 'for \u2068Grace\u2069.');
    await page.locator('#agenda .item', { hasText: 'Grace' }).waitFor();
    await page.locator('#new').click();
    expect(await page.getByLabel('Name').inputValue()).toBe('');
    await empty.stop();
  });
});

describe('On a wall', () => {
  let wall: Timetable;
  beforeAll(async () => {
    wall = await Timetable.open({ viewport: { width: 1920, height: 540 } });
    await wall.goTo('?zone=Europe/Berlin&wall');
  });
  afterAll(() => wall.page.close());
  /** The resources whose rows are whole in sight. */
  const inSight = () =>
    wall.page.locator('.row:not(.group)').evaluateAll((rows) => {
      const bottom = document.querySelector('footer')!.getBoundingClientRect().top;
      const top = document.querySelector('#head')!.getBoundingClientRect().bottom;
      const boxes = rows.map((row) => [row.getBoundingClientRect(), row.getAttribute('data-key')!] as const);
      return boxes.filter(([box]) => box.top >= top - 1 && box.bottom <= bottom + 1).map(([, key]) => key);
    });

  it('has no controls, and letters that can be read from afar, also in 4K', async () => {
    const { page } = wall;
    expect(await page.locator('button:visible, input:visible, select:visible, a:visible').count()).toBe(0);
    expect(await page.locator('#clock').innerText()).toBe('10:00');
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
  });

  it('turns over the rows that do not fit, and keeps now in sight until after midnight', async () => {
    const { page } = wall;
    const seen = new Set<string>();
    for (let turn = 0; turn < 4; turn++) {
      const rows = await inSight();
      expect(rows.length).toBeGreaterThan(3);
      for (const row of rows) seen.add(row);
      await wall.pass(15);
      await wall.isDrawn();
    }
    expect([...seen].toSorted()).toEqual(expect.arrayContaining(['hall', 'lab/a', 'lab/b', 'room-1', 'room-9']));
    await page.setViewportSize({ width: 900, height: 540 });
    const isNowInSight = () =>
      page.evaluate(`(() => {
        const { right } = document.querySelector('#now').getBoundingClientRect();
        return right > document.querySelector('#hours').offsetLeft && right < innerWidth;
      })()`);
    for (let hour = 10; hour < 26; hour += 4) {
      await wall.pass(4 * 3_600);
      await wall.pass(15);
      await wall.isRead();
      await wall.pass(15);
      expect([hour, await isNowInSight()]).toEqual([hour, true]);
    }
    expect(await page.locator('h1').innerText()).toBe('Tue, 1 Dec 2026');
  });

  it.each([401, 403])('goes on by itself after a %d, without a dialog', async (status) => {
    const { page } = wall;
    const name = status === 401 ? 'unauthenticated' : 'forbidden';
    const problem = { type: `urn:problem-type:bookings:${name}`, title: 'No', status, detail: 'No.' };
    const contentType = 'application/problem+json';
    await page.route(INTERFACE, (route) => route.fulfill({ status, contentType, body: JSON.stringify(problem) }));
    await wall.pass();
    await wall.says('trouble', 'The service requires a token');
    expect(await page.locator('dialog[open]').count()).toBe(0);
    await page.unrouteAll();
    await wall.pass(80);
    await wall.isRead();
  });

  it('goes on after a night without a network', async () => {
    const { page } = wall;
    await page.context().setOffline(true);
    await wall.pass(8 * 3_600);
    await wall.says('trouble', 'You are offline');
    await page.context().setOffline(false);
    await wall.pass(80);
    await wall.isRead();
  });
});
