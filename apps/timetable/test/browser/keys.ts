import { until } from 'testing';
import { ADDRESS, client, desk, INTERFACE, service, slotOf } from '../support/timetable.js';

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
    expect(page.url()).toContain('?date=2026-12-01&span=week');
    await desk.press('d', 'ArrowRight');
    expect(page.url()).toContain('?date=2026-12-02&span=day');
    await desk.press('t');
    expect(page.url()).toContain('?span=day');
    await desk.press('w', 'ArrowRight', 'd');
    expect(await page.locator('h1').innerText()).toBe('Mon, 7 Dec 2026');
    await desk.press('t', 'ArrowRight', 'ArrowRight', 'w', 'ArrowLeft', 'd');
    expect(await page.locator('h1').innerText()).toBe('Wed, 25 Nov 2026');
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

  it('Enter leads from the search to the first booking found', async () => {
    await desk.press('/');
    await page.getByLabel('Search').fill('choir');
    expect(await desk.press('Enter')).toBe('Zoë; the choir, 10:00 to 12:00');
  });

  it('the address of a booking opens its details, in its day', async () => {
    await desk.booked('Zoë').click();
    expect(new URL(page.url()).hash).toBe(`#${id}`);
    await page.getByRole('link', { name: 'Copy the link' }).click();
    await desk.says('toast', 'Link copied.');
    await desk.press('Escape');
    expect(new URL(page.url()).hash).toBe('');
    await page.evaluate(`location.hash = '${id}'`);
    await panel.waitFor();
    await page.goto('about:blank');
    await desk.goTo(`?zone=Europe/Berlin#${id}`);
    await panel.filter({ hasText: 'Zoë; the choir' }).waitFor();
    expect(await page.locator('h1').innerText()).toBe('Tue, 1 Dec 2026');
    await page.evaluate(`location.hash = 'missing'`);
    await desk.says('toast', 'This booking does not exist. It may have been deleted.');
    await page.evaluate(`location.hash = '%E0%A4%A'`);
    await desk.says('toast', 'This link names no booking.');
  });

  it.each([503, 429])(
    'the address of a booking opens it once a service that responds with %d has recovered',
    async (status) => {
      await page.goto('about:blank');
      await page.route(INTERFACE, (route) => route.fulfill({ status }));
      await page.goto(`${service.url}/timetable?zone=Europe/Berlin#${id}`);
      await desk.says('toast', 'This booking cannot be read now. It opens as soon as it can be.');
      await page.unrouteAll();
      await until(() => desk.pass(30).then(() => panel.isVisible()));
      expect(await panel.innerText()).toContain('Zoë; the choir');
    },
  );

  it('a drag shows its times and its conflicts, and Escape ends it', async () => {
    await desk.stretch('hall', 8, 10.5);
    expect(await page.locator('#chosen.taken').getAttribute('data-note')).toBe('08:00 to 10:30');
    await desk.press('Escape');
    await page.mouse.up();
    expect(await panel.isVisible()).toBe(false);
    expect(await page.locator('#marks > :visible').count()).toBe(0);
  });

  it('works below a prefix that a proxy strips', async () => {
    const prefix = `${service.url}/some/prefix`;
    await page.route(`${prefix}/**`, async (route) => {
      const response = await route.fetch({ url: route.request().url().replace(prefix, service.url) });
      await route.fulfill({ response });
    });
    desk.requests.length = 0;
    await desk.goTo(ADDRESS, { url: prefix });
    await desk.drag('room-8', 8, 9);
    await desk.book('Below');
    await desk.booked('Below').waitFor();
    expect(desk.requests.filter((url) => !url.startsWith(`${prefix}/`))).toEqual([]);
  });

  it('gains no elements or listeners, however long it is used', async () => {
    const session = await page.context().newCDPSession(page);
    const use = async () => {
      for (const id of ['forth', 'back', 'new', 'close']) await page.locator(`#${id}`).click();
      await desk.isRead();
      await session.send('HeapProfiler.collectGarbage');
      const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
      return nodes + jsEventListeners;
    };
    await use();
    const before = await use();
    await until(async () => (await use()) <= before);
  });
});
