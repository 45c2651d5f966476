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
    expect(await page.locator('h1').innerText()).toBe('Tue, 1 Dec 2026');
    await page.getByLabel('Search').fill('choir');
    await page.evaluate('navigator.clipboard.writeText = async (text) => (document.title = text)');
    await page.getByRole('link', { name: 'Copy the link' }).click();
    expect(new URL(await page.title()).hash).toBe(`#${id}`);
    await page.evaluate(`location.hash = 'missing'`);
    await desk.says('toast', 'This booking does not exist. It may have been deleted.');
  });
});
