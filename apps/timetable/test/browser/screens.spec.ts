import { client, isInSight, slotOf, Timetable } from '../support/timetable.js';

it('a phone opens with an agenda of who, where and until when, at what is on now; a tap shows the details', async () => {
  const phone = await Timetable.open({ hasTouch: true, isMobile: true, locale: 'en-US' });
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
    '9:30 AM\nuntil 11:00 AM\nMargaret Smith · Physio\nhall',
    '10:30 AM\nuntil 11:00 AM\nMargaret Smith · Next\nroom-1',
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
  expect(await texts()).toEqual(['10:30 AM\nuntil 11:00 AM\nMargaret Smith · Next\nroom-1']);
  await page.locator('#filter').fill('');
  await page.getByLabel('Free for').selectOption('480');
  await page.setViewportSize({ width: 768, height: 1024 });
  expect((await page.locator('#filter').boundingBox())!.width).toBeGreaterThan(90);
  await page.setViewportSize({ width: 390, height: 780 });
  await page.locator('#agenda .wanted', { hasText: 'room-1' }).tap();
  await phone.panel.getByRole('heading', { name: '11:00 AM to 7:00 PM' }).waitFor();
  await page.setViewportSize({ width: 375, height: 553 });
  await phone.goTo('?zone=Europe/Berlin');
  await phone.isDrawn();
  expect(await page.evaluate('[scrollY, document.querySelector("#agenda").scrollTop > 0]')).toEqual([0, true]);
  expect(await isInSight(page.locator('#status'))).toBe(true);
  await page.close();
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
