import { freePort, ServiceProcess } from 'testing';
import { ADDRESS, at, create, slotOf, Timetable } from '../support/timetable.js';

describe('What is not known', () => {
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

  it('is hatched while a slow service has not responded, and cannot be booked by a click', async () => {
    const { page, unread, status } = timetable;
    const release = timetable.hold();
    await page.goto(`${address()}&free=60`);
    await page.getByLabel('Free for').selectOption('0');
    await unread.first().waitFor();
    expect(await unread.first().getAttribute('aria-label')).toBe('Not read, 00:00 to 24:00');
    expect(await unread.allInnerTexts()).toEqual(['Not read', 'Not read', 'Not read']);
    expect(await free()).toBe(0);
    expect(await page.locator('#grid').getAttribute('aria-busy')).toBe('true');
    await status.filter({ hasText: 'reading, 0 % · What is hatched may be taken' }).waitFor();
    await timetable.choose('room-1', at('12:40'));
    await page.locator('#toast', { hasText: 'This time has not been read.' }).waitFor();
    await page.locator('[role=gridcell][tabindex="0"]').press('Enter');
    expect(await timetable.panel.isVisible()).toBe(false);
    release();
    await timetable.isRead();
    expect(await unread.count()).toBe(0);
    expect(await page.locator('#grid').getAttribute('aria-busy')).toBe('false');
  });

  it('is what was read four intervals ago: a failed poll hatches nothing, and moves nothing', async () => {
    const { page, unread, status } = timetable;
    await timetable.goTo(address());
    const place = () => timetable.row('room-3').boundingBox();
    const before = await place();
    timetable.treat = () => 'cut';
    await timetable.poll();
    await status.filter({ hasText: /has not responded since .* Next attempt at/ }).waitFor();
    expect([await unread.count(), await place()]).toEqual([0, before]);
    // As after a lid was closed: no request has to fail.
    await page.evaluate('ahead += 20_000');
    await timetable.poll();
    await status.filter({ hasText: 'What is hatched may be taken' }).waitFor();
    expect([await free(), await unread.count()]).toEqual([0, 4]);
    expect(await timetable.booked('Ada').isVisible()).toBe(true);
    const headers = { 'Content-Type': 'application/problem+json', 'Retry-After': '60' };
    timetable.treat = () => ({ status: 429, headers });
    await page.getByRole('button', { name: 'Next day' }).click();
    await status.filter({ hasText: 'The service has limited requests since' }).waitFor();
    expect(await free()).toBe(0);
    timetable.treat = () => 'pass';
    await page.getByRole('button', { name: 'Try now' }).click();
    await timetable.isRead();
    expect(await unread.count()).toBe(0);
  });

  it('becomes known by itself: bookings of others appear, and deleted ones go', async () => {
    const port = String(await freePort());
    let other = await ServiceProcess.start({ PORT: port });
    await create(other, { slot: slotOf('room-1', '10:00', '11:00'), guest: { name: 'Ada' } });
    await timetable.goTo(`${other.url}/timetable${ADDRESS}`);
    await create(other, { slot: slotOf('lab/bench', '12:00', '13:00'), guest: { name: 'Marie' } });
    await timetable.booked('Marie').waitFor();
    await timetable.booked('Ada').click();
    await other.stop();
    await timetable.poll();
    await timetable.status.filter({ hasText: 'has not responded' }).waitFor();
    expect(await timetable.page.locator('#toast').textContent()).toContain('has not responded');
    other = await ServiceProcess.start({ PORT: port });
    await create(other, { slot: slotOf('room-1', '14:00', '15:00'), guest: { name: 'After' } });
    await timetable.poll();
    await timetable.booked('After').waitFor();
    // It was in the memory of the service that has stopped.
    await timetable.booked('Ada').waitFor({ state: 'detached' });
    await timetable.panel.waitFor({ state: 'hidden' });
    expect(await timetable.page.locator('#toast').textContent()).toBe('This booking has been deleted.');
    expect(timetable.complaints.filter((text) => !/Failed to load resource: .*(?:ERR_|503)/.test(text))).toEqual([]);
    await other.stop();
  });
});
