import { client, slotOf, Timetable } from '../support/timetable.js';

describe('On a small screen', () => {
  let phone: Timetable;
  beforeAll(async () => (phone = await Timetable.open({ hasTouch: true, isMobile: true, locale: 'en-US' })));
  afterAll(() => phone.page.close());

  it('an upright name has its first column, and no second one in part', async () => {
    const { page } = phone;
    await page.setViewportSize({ width: 390, height: 780 });
    await client.create({ slot: slotOf('hall', '09:00', '09:15', '2026-12-12'), name: 'Tim' });
    await client.create({ slot: slotOf('hall', '10:00', '10:20', '2026-12-12'), name: 'Board meeting' });
    await phone.goTo('?date=2026-12-12&zone=Europe/Berlin&as=rows');
    const covers = await page
      .locator('.booked.brief')
      .evaluateAll((all) =>
        all.map((own) => [own.clientWidth, Math.round(Number.parseFloat(getComputedStyle(own, '::after').width))]),
      );
    expect(covers).toEqual([
      [12, 0],
      [16, 3],
    ]);
  });

  it('a finger stretches the chosen slot by an edge, and moves nothing else', async () => {
    await phone.page.setViewportSize({ width: 390, height: 780 });
    await phone.goTo('?date=2026-12-11&zone=Europe/Berlin&as=rows&filter=room-2');
    await phone.choose('room-2', 9.1, 'tap');
    await phone.panel.waitFor();
    const scrolled = () => phone.page.locator('#grid').evaluate(({ scrollLeft }) => scrollLeft);
    const before = await scrolled();
    const edge = (await phone.page.locator('#chosen .end').boundingBox())!;
    expect(edge.width).toBeGreaterThanOrEqual(24);
    const hour = (await phone.row('room-2').locator('.cells').boundingBox())!.width / 24;
    const session = await phone.page.context().newCDPSession(phone.page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', hours: number) => {
      const point = { x: edge.x + edge.width / 2 + hours * hour, y: edge.y + edge.height / 2 };
      return session.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [point] });
    };
    await touch('touchStart', 0);
    for (const hours of [0.3, 0.6, 0.95]) await touch('touchMove', hours);
    await touch('touchEnd', 0.95);
    await phone.panel.getByRole('heading', { name: '9:00 AM to 11:00 AM' }).waitFor();
    expect(await scrolled()).toBe(before);
  });
});
