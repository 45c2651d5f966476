import { ServiceProcess } from 'testing';
import { ADDRESS, create, describeInBrowser, slotOf, Timetable } from '../support/timetable.js';

describeInBrowser('Time that was not read', () => {
  let service: ServiceProcess;
  let timetable: Timetable;

  beforeAll(async () => {
    service = await ServiceProcess.start({ TIMETABLE_RESOURCES: 'room-1,room-2,room-3' });
    await create(service, { slot: slotOf('room-1', '10:00', '11:00'), guest: { name: 'Ada' } });
  });
  beforeEach(async () => {
    timetable = await Timetable.blank();
    await timetable.intercept();
  });
  afterEach(() => timetable.close());
  afterAll(() => service.stop());

  const address = () => `${service.url}/timetable${ADDRESS}`;
  const free = () => timetable.page.locator('.free').count();

  it('is hatched while a slow service has not responded; it cannot be booked by a click, and a band says so', async () => {
    const { page, unread } = timetable;
    const release = timetable.hold(() => true);
    await page.goto(address());
    await unread.first().waitFor();
    expect(await unread.first().getAttribute('aria-label')).toBe('Not read, 00:00 to 24:00');
    expect(await unread.allInnerTexts()).toEqual(['Not read', 'Not read', 'Not read']);
    await page.getByLabel('Free for').selectOption('60');
    expect(await page.locator('.wanted').count()).toBe(0);
    await page.getByLabel('Free for').selectOption('0');
    expect(await free()).toBe(0);
    expect(await page.locator('#grid').getAttribute('aria-busy')).toBe('true');
    await timetable.band.filter({ hasText: 'Reading, 0 %. What is not read may be taken.' }).waitFor();
    const { x, y } = await timetable.pointOf('room-1', '2026-12-01T12:40:00+01:00');
    await page.mouse.click(x, y);
    await page.locator('#toast', { hasText: 'This time has not been read.' }).waitFor();
    await page.locator('[role=gridcell][tabindex="0"]').press('Enter');
    expect(await timetable.panel.isVisible()).toBe(false);
    release();
    await timetable.isRead();
    expect(await unread.count()).toBe(0);
    expect(await timetable.band.isVisible()).toBe(false);
    expect(await page.locator('#grid').getAttribute('aria-busy')).toBe('false');
  });

  it('is what the last read failed for, though it was read before; a booking stays', async () => {
    const { page, unread } = timetable;
    await timetable.goTo(address());
    expect(await unread.count()).toBe(0);
    timetable.treat = () => 'cut';
    await timetable.poll();
    await timetable.band.filter({ hasText: 'The service has not responded since' }).waitFor();
    expect(await free()).toBe(0);
    // Before the booking and after it, and in two more rows.
    expect(await unread.allInnerTexts()).toEqual(Array(4).fill('Not read'));
    expect(await timetable.booked('Ada').isVisible()).toBe(true);
    const headers = { 'Content-Type': 'application/problem+json', 'Retry-After': '60' };
    timetable.treat = () => ({ status: 429, headers });
    await page.getByRole('button', { name: 'Next day' }).click();
    await timetable.band.filter({ hasText: 'The service has limited requests since' }).waitFor();
    await timetable.status.filter({ hasText: 'so far · last read at' }).waitFor();
    expect(await free()).toBe(0);
    timetable.treat = () => 'pass';
    await page.getByRole('button', { name: 'Try now' }).click();
    await timetable.isRead();
    expect(await unread.count()).toBe(0);
  });
});
