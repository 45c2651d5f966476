import type { Locator } from 'playwright-core';
import { ServiceProcess } from 'testing';
import { expectAccessible } from '../support/accessible.js';
import { ADDRESS, at, desk, PHONE, Timetable } from '../support/timetable.js';

const { page, panel } = desk;

/** Whether an element is whole within the grid, beside the names and below the hours. */
function isWholeInGrid(element: Locator): Promise<boolean> {
  return element.evaluate((own) => {
    const box = (selector: string) => document.querySelector(selector)!.getBoundingClientRect();
    const [cell, grid, corner] = [own.getBoundingClientRect(), box('#grid'), box('#corner')];
    const isBesideNames = cell.left >= corner.right - 1 && cell.right <= grid.right + 1;
    return isBesideNames && cell.top >= corner.bottom - 1 && cell.bottom <= grid.bottom + 1;
  });
}

/** Whether an element is within the window, and no other one is over its middle. */
function isSeen(element: Locator): Promise<boolean> {
  return element.evaluate((own) => {
    const { left, top, right, bottom } = own.getBoundingClientRect();
    return (
      top >= 0 && bottom <= innerHeight && document.elementFromPoint((left + right) / 2, (top + bottom) / 2) === own
    );
  });
}

describe('On a laptop', () => {
  beforeAll(() => page.setViewportSize({ width: 1280, height: 800 }));
  afterAll(() => page.setViewportSize({ width: 2100, height: 800 }));

  it('the view stays after a drag, with the new booking whole in sight', async () => {
    await desk.goTo();
    const scrolled = () => page.evaluate<number>(`document.querySelector('#grid').scrollLeft`);
    const first = await scrolled();
    await desk.drag('room-9', at('14:00'), at('15:00'));
    await page.locator('#cancel').click();
    await panel.waitFor({ state: 'hidden' });
    expect(await scrolled()).toBe(first);
    await desk.press('Enter');
    expect(await panel.locator('h2').innerText()).toBe('Tue 1 Dec, 14:00 to 15:00');
    await desk.press('Escape');
    await desk.drag('room-9', at('18:00'), at('19:30'));
    await desk.book('Grace');
    await panel.waitFor({ state: 'hidden' });
    const booked = desk.row('room-9').locator('.booked');
    await booked.waitFor();
    expect(await isWholeInGrid(booked)).toBe(true);
    expect(await scrolled()).toBe(first);
  });
});

describe('On a small screen', () => {
  let phone: Timetable;
  beforeAll(async () => (phone = await Timetable.open(PHONE)));
  afterAll(() => phone.close());

  it.each([
    ['at 200 percent of 1280 x 800', 640, 400, '14:00'],
    ['on a phone with its bars', 390, 560, '16:00'],
    ['on a phone on its side', 780, 340, '18:00'],
  ])('%s a tap opens the form in sight, with its focus, which books', async (_, width, height, time) => {
    await phone.page.setViewportSize({ width, height });
    await phone.goTo(`${ADDRESS}&filter=room-3`);
    await phone.choose('room-3', at(time), 'tap');
    const name = phone.page.getByLabel('Name').and(phone.page.locator(':focus'));
    await name.waitFor();
    expect(await isSeen(name)).toBe(true);
    await name.fill(time);
    await phone.page.getByRole('button', { name: 'Book', exact: true }).tap();
    await phone.booked(time).waitFor();
  });

  it('a week fits the width, and begins on Sunday where that is so', async () => {
    const { page } = phone;
    await page.setViewportSize(PHONE.viewport);
    await phone.goTo(ADDRESS.replace('day', 'week'));
    await phone.row('room-1').locator('.total').first().waitFor();
    expect(await page.locator('.day').first().innerText()).toBe('Sun Nov 29');
    const sizes = await page.locator('#grid').evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
    expect(sizes).toEqual([390, 390]);
    for (const id of ['today', 'back', 'date', 'forth', 'day', 'week', 'new']) {
      const { x, width } = (await page.locator(`#${id}`).boundingBox())!;
      expect([id, x >= 0 && x + width <= 390]).toEqual([id, true]);
    }
    expect(await page.getByLabel('Search').isVisible()).toBe(true);
  });

  it('an empty page says what to do, with the form open; the name is remembered for the tab', async () => {
    const { page } = phone;
    const empty = await ServiceProcess.start();
    await phone.goTo(ADDRESS, empty);
    await page.getByText('Nothing is booked at a time yet.').waitFor();
    await phone.panel.waitFor();
    await expectAccessible(phone, 'a phone without bookings');
    await page.keyboard.type('Sauna');
    await phone.book('Grace');
    await phone.booked('Grace').waitFor();
    await page.locator('#new').click();
    expect(await page.getByLabel('Name').inputValue()).toBe('Grace');
    await empty.stop();
  });
});
