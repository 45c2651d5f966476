import { ServiceProcess } from 'testing';
import { Proxy } from '../support/proxy.js';
import { ADDRESS, create, describeInBrowser, listed, slotOf, Timetable } from '../support/timetable.js';

describeInBrowser('A form on a slow network', () => {
  let service: ServiceProcess;
  let proxy: Proxy;
  let timetable: Timetable;
  let release = () => {};

  beforeAll(async () => {
    service = await ServiceProcess.start({ TIMETABLE_RESOURCES: 'room-1,room-2,room-3,room-4' });
    proxy = await Proxy.start(service.url);
    await create(service, { slot: slotOf('room-1', '20:00', '21:00'), guest: { name: 'Ada' } });
    timetable = await Timetable.blank();
  });
  beforeEach(() => timetable.goTo(`${proxy.url}/timetable${ADDRESS}`));
  afterEach(() => {
    release();
    proxy.treat = () => 'pass';
  });
  afterAll(async () => {
    await timetable.close();
    proxy.stop();
    await service.stop();
  });

  const at = (time: string) => `2026-12-01T${time}:00+01:00`;
  const starts = async (resource: string) =>
    (await listed(service, `resource_id=${resource}&sort=start`)).map(({ slot }) => slot!.start.slice(11, 16));
  const isCreate = ({ method }: { method?: string | undefined }) => method === 'POST';

  it('books the instant that it says, whatever the clock of the page becomes', async () => {
    const { page } = timetable;
    await timetable.drag('room-1', at('18:00'), at('19:00'));
    await page.locator('#zone').focus();
    await page.locator('#zone').selectOption('Asia/Tokyo');
    await page.locator('#corner', { hasText: 'Asia/Tokyo' }).waitFor();
    expect(await page.locator('#length').innerText()).toContain('Europe/Berlin');
    await timetable.enter('end', '2026-12-01 20:30');
    expect(await page.locator('#length').innerText()).toContain('Ada\u2069, 20:00 to 21:00');
    await timetable.enter('end', '2026-12-01 19:00');
    await timetable.book('Grace');
    await timetable.panel.waitFor({ state: 'hidden' });
    expect(await starts('room-1')).toEqual(['17:00', '19:00']);
  });

  it('keeps its own sending state: a late response leaves the next form open, with what was entered', async () => {
    const { page } = timetable;
    await timetable.drag('room-2', at('09:00'), at('10:00'));
    release = proxy.hold(isCreate);
    await timetable.book('First');
    await page.getByRole('button', { name: 'Booking…' }).waitFor();
    await page.locator('#cancel').click();
    await timetable.drag('room-3', at('11:00'), at('12:00'));
    await page.getByLabel('Name').fill('Second');
    release();
    await page.locator('#toast', { hasText: 'Booked \u2068room-2' }).waitFor();
    await timetable.booked('First').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Second');
    expect(await page.locator('.chosen').count()).toBe(1);
    await page.locator('#book').click();
    await timetable.booked('Second').waitFor();
    expect(await starts('room-3')).toEqual(['10:00']);
  });

  it('is sent while an earlier one has no response yet', async () => {
    const { page } = timetable;
    await timetable.drag('room-2', at('13:00'), at('14:00'));
    // A create that waits for long is retried with the same key.
    const keys = new Set<unknown>();
    release = proxy.hold((request) => isCreate(request) && keys.add(request.headers['idempotency-key']).size > 0);
    await timetable.book('Third');
    await page.locator('#cancel').click();
    await timetable.drag('room-3', at('13:00'), at('14:00'));
    await timetable.book('Fourth');
    await page.getByRole('button', { name: 'Booking…' }).waitFor();
    // The focus stays in the form, so that Escape still closes it.
    expect(await page.evaluate('document.activeElement.id')).toBe('book');
    release();
    await timetable.booked('Third').waitFor();
    await timetable.booked('Fourth').waitFor();
    expect(keys.size).toBe(2);
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Fourth, 13:00 to 14:00');
    await timetable.panel.waitFor({ state: 'hidden' });
  });

  it('says of a create that was left alone that it failed', async () => {
    const { page } = timetable;
    await timetable.drag('room-4', at('09:00'), at('10:00'));
    release = proxy.hold(isCreate);
    await timetable.book('Late');
    await page.locator('#cancel').click();
    await create(service, { slot: slotOf('room-4', '09:30', '10:30'), guest: { name: 'Quick' } });
    release();
    await page
      .locator('#toast', { hasText: 'Taken: \u2068room-4\u2069 is booked from 09:30 to 10:30. Nothing was booked.' })
      .waitFor();
    expect(await timetable.panel.isVisible()).toBe(false);
  });

  it('does not close the details that are open when its response arrives', async () => {
    const { page } = timetable;
    await timetable.drag('room-4', at('12:00'), at('13:00'));
    release = proxy.hold(isCreate);
    await timetable.book('Fifth');
    await timetable.booked('Ada').click();
    release();
    await timetable.booked('Fifth').waitFor();
    await page.locator('#toast', { hasText: 'Booked \u2068room-4' }).waitFor();
    expect(await page.locator('#panel-title').isVisible()).toBe(true);
    expect(await page.locator('#panel-title').innerText()).toBe('Ada');
  });

  it('offers Book only with its fields, and moves no focus from where a person is', async () => {
    release = proxy.hold(({ url }) => url === '/openapi.json');
    await timetable.page.reload();
    await timetable.isRead();
    const { page } = timetable;
    const { x, y } = await timetable.pointOf('room-4', at('16:10'));
    await page.mouse.click(x, y);
    expect(await page.locator('#book').isDisabled()).toBe(true);
    await page.keyboard.press('Enter');
    await page.locator('#end-time').focus();
    release();
    await page.getByLabel('Name').waitFor();
    await page.keyboard.type('17');
    expect(await page.locator('#end-time').inputValue()).toBe('17:00');
    expect(await page.getByLabel('Name').inputValue()).toBe('');
    expect(await page.locator('#book').isDisabled()).toBe(false);
    expect(await starts('room-4')).toEqual(['08:30', '11:00']);
  });
});
