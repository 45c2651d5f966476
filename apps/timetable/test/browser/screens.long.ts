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
    const release = await phone.hold();
    await page.goto(`${empty.url}/timetable${ADDRESS}`);
    await page.getByText('Reading…').waitFor();
    expect(await page.locator('#status').innerText()).not.toContain('Hatched');
    // Nothing lies below the sentence.
    expect(await page.locator('#agenda').isVisible()).toBe(false);
    release();
    await phone.isRead();
    await page.getByText('Nothing is booked here yet.').waitFor();
    await phone.panel.waitFor();
    await phone.isAccessible('a phone without bookings');
    await page.keyboard.type('Sauna');
    await phone.book('Grace');
    await phone.says('toast', 'for \u2068Grace\u2069.');
    expect(await isInSight(page.locator('#status'))).toBe(true);
    await page.locator('#agenda .item:focus', { hasText: 'Grace' }).waitFor();
    await page.locator('#new').click();
    expect(await page.getByLabel('Name').inputValue()).toBe('');
    await empty.stop();
  });

  it('an upright name has its first column, and no second one in part', async () => {
    const { page } = phone;
    await page.setViewportSize({ width: 390, height: 780 });
    await client.create({ slot: slotOf('hall', '09:00', '09:15', '2026-12-12'), name: 'Tim' });
    await client.create({ slot: slotOf('hall', '10:00', '10:20', '2026-12-12'), name: 'Board meeting' });
    await phone.goTo('?date=2026-12-12&zone=Europe/Berlin&as=rows');
    const whole = await page.locator('.booked.brief').evaluateAll((all) =>
      all.map((own) => {
        const { lineHeight, width } = getComputedStyle(own, '::after');
        return (own.clientWidth - Number.parseFloat(width)) / Number.parseFloat(lineHeight);
      }),
    );
    expect(whole.map((columns) => Math.round(columns * 10) / 10)).toEqual([1, 2]);
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

  /** Whether a name in sight is of a row that is not. */
  const isCut = () =>
    wall.page.locator('.row:not(.group)').evaluateAll((rows) => {
      const top = document.querySelector('#head')!.getBoundingClientRect().bottom;
      const bottom = document.querySelector('footer')!.getBoundingClientRect().top;
      const isPart = (own: Element, edge: number) => {
        const box = own.getBoundingClientRect();
        return box.top + box.height / 8 < edge && box.bottom - box.height / 8 > edge;
      };
      const isVisible = (own: Element) => own.querySelector('bdi')?.checkVisibility({ opacityProperty: true });
      return rows.some((row) => (isPart(row, top) || isPart(row, bottom)) && isVisible(row));
    });

  /** Whether there is room for another row, and perhaps the heading of its group, below the last one. */
  const isHalfEmpty = () =>
    wall.page.evaluate<boolean>(`(() => {
      const last = [...document.querySelectorAll('.row')].at(-1).getBoundingClientRect();
      const room = document.querySelector('footer').getBoundingClientRect().top - last.bottom;
      return room > last.height + document.querySelector('.group').offsetHeight;
    })()`);

  it('turns over the rows that do not fit, and keeps now in sight until after midnight', async () => {
    const { page } = wall;
    const seen = new Set<string>();
    for (let turn = 0; turn < 4; turn++) {
      const rows = await inSight();
      expect([rows.length > 0, await isCut(), await isHalfEmpty()]).toEqual([true, false, false]);
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
    expect(await page.locator('h1').innerText()).toBe('Tue 1 Dec');
  });

  it('turns over what is on now in an agenda, and the rows of a group below its heading', async () => {
    const { page } = wall;
    const open = async (query: string) => {
      await wall.goTo(`?zone=Europe/Berlin&wall&filter=shelf/${query}`);
      // `isInSight` finds only what can be pointed at.
      await page.evaluate(`
        const sheet = new CSSStyleSheet();
        sheet.replaceSync('main > * { pointer-events: auto !important }');
        document.adoptedStyleSheets = [sheet];`);
    };
    await page.setViewportSize({ width: 900, height: 420 });
    await open('&as=agenda');
    const now = await page.evaluate<number>('Date.now()');
    for (let shelf = 1; shelf < 10; shelf++) {
      for (const [title, from, to] of [
        ['on', -2, 1],
        ['over', -1, -0.1],
        ['next', 0.5, 1],
      ] as const) {
        const at = (hours: number) => new Date(now + hours * 3_600_000);
        await client.create({ slot: { resource_id: `shelf/${title} ${shelf}`, start: at(from), end: at(to) }, title });
      }
    }
    await wall.pass();
    await page.locator('.item.now', { hasText: 'shelf/on 9' }).waitFor();
    const seen = new Set<string>();
    for (let turn = 0; turn < 3; turn++) {
      await wall.pass(15);
      for (const item of await page.locator('.item').all()) {
        if (await isInSight(item)) seen.add(await item.locator('span').innerText());
      }
    }
    for (let shelf = 1; shelf < 10; shelf++) expect(seen).toContain(`shelf/on ${shelf}`);
    expect([...seen].join()).not.toContain('over');
    await open('');
    await wall.pass(15);
    expect(await isInSight(page.locator('.group .name'))).toBe(true);
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
