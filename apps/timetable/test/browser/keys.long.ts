import { client, desk, slotOf } from '../support/timetable.js';

const { page, panel } = desk;

describe('Moving over the page', () => {
  let id: string;
  beforeAll(async () => {
    ({ booking_id: id } = await client.create({ slot: slotOf('hall', '10:00', '12:00'), title: 'Zoë; the choir' }));
  });
  beforeEach(() => desk.goTo());

  it('Tab stops once in the grid; arrows lead over cells and days, Home and End to the edges', async () => {
    const stops = () => page.locator('#grid').locator('[tabindex="0"], button:visible:not([tabindex="-1"])').count();
    await page.locator('#new').focus();
    expect(await desk.press('Tab', 'Home', 'ArrowRight')).toBe('Zoë; the choir, 10:00 to 12:00');
    await desk.press('Control+End');
    expect(await desk.row('lab/b').locator(':focus').count()).toBe(1);
    expect(await stops()).toBe(1);
    await desk.press('ArrowUp', 'ArrowUp');
    expect(await desk.row('room-9').locator(':focus').count()).toBe(1);
    await desk.press('PageUp');
    expect(await desk.row('hall').locator(':focus').count()).toBe(1);
    await desk.press('Tab');
    expect(await page.locator('#grid :focus').count()).toBe(0);
    await page.locator('#week').click();
    await desk.isRead();
    await page.locator('.cell[tabindex="0"]').focus();
    expect(await desk.press('Control+Home', 'ArrowRight')).toMatch(
      /^Tue 1 Dec, 1 booking, 2 h taken\. Show this day: 10:00 .Zoë; the choir/,
    );
    await desk.press('Control+End', 'ArrowUp', 'Home', 'ArrowRight', 'Enter');
    await desk.isRead();
    await desk.press('Enter');
    expect(await panel.locator('h2').innerText()).toBe('Tue 1 Dec, 09:00 to 10:00');
  });

  it('letters choose the view, the search and a new booking, unless something is being typed', async () => {
    await desk.press('w');
    expect((await desk.address()).search).toContain('?date=2026-12-01&span=week');
    await desk.press('d', 'ArrowRight');
    expect((await desk.address()).search).toContain('?date=2026-12-02&span=day');
    await desk.press('t');
    expect((await desk.address()).search).toContain('?span=day');
    await desk.press('w', 'ArrowRight', 'd');
    expect(await page.locator('h1').innerText()).toBe('Mon 7 Dec');
    await desk.press('t', 'ArrowRight', 'ArrowRight', 'w', 'ArrowLeft', 'd');
    expect(await page.locator('h1').innerText()).toBe('Wed 25 Nov');
    await desk.isRead();
    expect(await desk.press('g')).toMatch(/^Free 00:00/);
    await desk.press('/', 'd', 'w');
    expect(await page.getByLabel('Search').inputValue()).toBe('dw');
    await page.getByLabel('Search').fill('');
    await page.locator('#today').focus();
    await desk.press('n');
    expect(await panel.isVisible()).toBe(true);
    await desk.goTo();
    expect(await desk.press('Tab')).toBe('Go to the bookings');
    expect(await desk.press('Enter')).toMatch(/^Free 00:00/);
  });

  it('a held arrow leads on when the browser refuses to write more addresses', async () => {
    await page.evaluate(`history.pushState = () => { throw new DOMException('Too many', 'SecurityError'); }`);
    await desk.press('ArrowRight', 'ArrowRight');
    expect(await page.locator('h1').innerText()).toBe('Thu 3 Dec');
  });

  it('Enter leads from the search to the first booking found that is not over, in rows and in an agenda', async () => {
    await desk.press('/');
    await page.getByLabel('Search').fill('choir');
    expect(await desk.press('Enter')).toBe('Zoë; the choir, 10:00 to 12:00');
    await desk.press('a', '/');
    // Items are drawn with the next frame, which no hand is quicker than.
    await desk.isDrawn();
    expect(await desk.press('Enter')).toMatch(/^10:00 until 12:00\s+Zoë; the choir\s+hall$/);
    await desk.press('a', 'a');
    await page.locator('#skip').focus();
    expect(await desk.press('Enter')).toMatch(/^10:00 until 12:00/);
    for (const [lab, hour] of [
      ['lab/a', 7],
      ['lab/b', 12],
    ] as const) {
      const slot = slotOf(
        lab,
        `${String(hour).padStart(2, '0')}:00`,
        `${String(hour + 1).padStart(2, '0')}:00`,
        '2026-11-30',
      );
      await client.create({ slot, title: 'quartet' });
    }
    await desk.goTo('?zone=Europe/Berlin&filter=quartet');
    expect(await desk.press('/', 'Enter')).toBe('quartet, 12:00 to 13:00');
  });

  it('letters work with Caps Lock and on a keyboard of another script, and can be turned off for the tab', async () => {
    const isWeek = () => page.locator('#week').getAttribute('aria-pressed');
    const type = (key: string, code: string) =>
      page.evaluate(`document.body.dispatchEvent(
        new KeyboardEvent('keydown', { key: '${key}', code: '${code}', bubbles: true }))`);
    await desk.press('Shift+W');
    expect(await isWeek()).toBe('true');
    await type('в', 'KeyD');
    expect(await isWeek()).toBe('false');
    await page.getByRole('checkbox', { name: /^Letters as keys: n new/ }).uncheck();
    await page.reload();
    await desk.isRead();
    await desk.press('w', '/', 'n');
    expect([await isWeek(), await panel.isVisible()]).toEqual(['false', false]);
    expect(await page.locator('#filter:focus').count()).toBe(0);
    await desk.press('ArrowRight');
    expect(await page.locator('h1').innerText()).toBe('Wed 2 Dec');
    await page.getByRole('checkbox').check();
  });

  it('a screen reader hears another date and what a search finds, and knows which row of how many it is in', async () => {
    expect(await page.locator('h1').getAttribute('aria-live')).toBe('polite');
    const heard = () => page.locator('[role=status]').allTextContents();
    await page.getByLabel('Search').fill('room-');
    expect(await heard()).toContain('Found: 9 resources');
    await page.getByLabel('Search').fill('nothing at all');
    expect(await heard()).toContain('Nothing in this day matches this search.');
    await page.getByLabel('Search').fill('lab/');
    await desk.isDrawn();
    const rows = await page.locator('.row[aria-rowindex]').evaluateAll((all) => all.map((row) => row.ariaRowIndex));
    expect([await page.locator('#grid').getAttribute('aria-rowcount'), rows]).toEqual(['4', ['2', '3', '4']]);
  });

  it('Back closes the details, and leaves the place, the focus and what has been read', async () => {
    const date = '2026-12-16';
    await page.setViewportSize({ width: 1280, height: 800 });
    await client.create({ slot: slotOf('room-8', '21:00', '22:00', date), title: 'Late' });
    await desk.goTo(`?date=${date}&zone=Europe/Berlin`);
    const place = page.locator('#grid');
    const scrolled = () => place.evaluate(({ scrollLeft }) => scrollLeft);
    await place.evaluate((grid) => (grid.scrollLeft = 5_000));
    const before = await scrolled();
    for (const [as, booking] of [
      ['rows', desk.booked('Late')],
      ['agenda', page.locator('.item')],
    ] as const) {
      if (as === 'agenda') await desk.press('a');
      await booking.click();
      await panel.waitFor();
      desk.requests.length = 0;
      await page.goBack();
      await panel.waitFor({ state: 'hidden' });
      expect([as, await booking.and(page.locator(':focus')).count()]).toEqual([as, 1]);
      expect(desk.requests.filter((url) => url.includes('from='))).toEqual([]);
      if (as === 'rows') expect(await scrolled()).toBe(before);
    }
    await page.setViewportSize({ width: 2100, height: 800 });
  });

  it('the address of a booking opens its details, in its day', async () => {
    await desk.booked('Zoë').click();
    expect((await desk.address()).hash).toBe(`#${id}`);
    await page.getByRole('link', { name: 'Copy the link' }).click();
    await desk.says('toast', 'Link copied.');
    await desk.press('Escape');
    expect((await desk.address()).hash).toBe('');
    await page.evaluate(`location.hash = '${id}'`);
    await panel.waitFor();
    await page.goto('about:blank');
    await desk.goTo(`?zone=Europe/Berlin#${id}`);
    await panel.filter({ hasText: 'Zoë; the choir' }).waitFor();
    expect(await page.locator('h1').innerText()).toBe('Tue 1 Dec');
    await page.locator('#zone').focus();
    await page.locator('#zone').selectOption('Asia/Tokyo');
    await panel.filter({ hasText: 'Tue 1 Dec, 18:00 to 20:00 (2 h in Asia/Tokyo)' }).waitFor();
    await page.getByLabel('Search').fill('choir');
    await page.evaluate('navigator.clipboard.writeText = async (text) => (document.title = text)');
    await page.getByRole('link', { name: 'Copy the link' }).click();
    expect(new URL(await page.title()).hash).toBe(`#${id}`);
    await page.evaluate(`location.hash = 'missing'`);
    await desk.says('toast', 'This booking does not exist. It may have been deleted.');
  });
});
