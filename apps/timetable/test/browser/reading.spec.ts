import fc from 'fast-check';
import { ServiceProcess } from 'testing';
import { Proxy, type Treatment } from '../support/proxy.js';
import { ADDRESS, create, describeInBrowser, listed, slotOf, Timetable } from '../support/timetable.js';

/** The free cells that are drawn, as instants of the day, by resource. Runs in the page. */
const FREE = `[...document.querySelectorAll('.free')].map((cell) => {
  const lines = document.querySelector('#lines').getBoundingClientRect();
  const { left, width } = cell.getBoundingClientRect();
  const at = (x) => (x - lines.left) / lines.width * 24;
  return { resource: cell.closest('.row').querySelector('.name').title, start: at(left), end: at(left + width) };
})`;
interface Free {
  resource: string;
  start: number;
  end: number;
}

describeInBrowser('Time that was not read', () => {
  let service: ServiceProcess;
  let proxy: Proxy;
  let timetable: Timetable;
  /** One that polls as it does, and one that polls all the time. */
  let calm: Timetable;
  let hurried: Timetable;
  let release = () => {};

  beforeAll(async () => {
    service = await ServiceProcess.start({ TIMETABLE_RESOURCES: 'room-1,room-2,room-3', RATE_LIMIT: '100000' });
    proxy = await Proxy.start(service.url);
    [calm, hurried] = [await Timetable.blank(), await Timetable.blank()];
    await hurried.hurry();
    // Of each hour, the first 20 minutes are booked: three pages in all.
    const minutes = [0, 5, 10, 15];
    const time = (hour: number, minute: number) => `${hour}:${minute}`.replace(/\b\d\b/g, '0$&');
    for (let hour = 0; hour < 24; hour++) {
      const slots = ['room-1', 'room-2', 'room-3'].flatMap((resource) =>
        minutes.map((minute) => slotOf(resource, time(hour, minute), time(hour, minute + 5))),
      );
      await Promise.all(slots.map((slot) => create(service, { slot, guest: { name: `Guest ${hour}` } })));
    }
  });
  beforeEach(() => {
    timetable = calm;
  });
  afterEach(async () => {
    release();
    // What the page still requests is not of the next test.
    await timetable.page.goto('about:blank');
    proxy.treat = () => 'pass';
  });
  afterAll(async () => {
    await calm.close();
    await hurried.close();
    proxy.stop();
    await service.stop();
  });

  const isWindow = ({ url = '' }: { url?: string | undefined }) => url.includes('sort=start');
  const limited = (retryAfter: number): Treatment => ({
    status: 429,
    headers: { 'Content-Type': 'application/problem+json', 'Retry-After': String(retryAfter) },
  });
  const goTo = (query = ADDRESS) => timetable.page.goto(`${proxy.url}/timetable${query}`);
  const free = () => timetable.page.evaluate<Free[]>(FREE);

  it('is hatched while a slow service has not responded; it cannot be booked by a click, and a band says so', async () => {
    const { page } = timetable;
    release = proxy.hold(({ url = '' }) => url.startsWith('/v1'));
    await goTo();
    await timetable.unread.first().waitFor();
    expect(await timetable.unread.first().getAttribute('aria-label')).toBe('Not read, 00:00 to 24:00');
    expect(await timetable.unread.allInnerTexts()).toEqual(['Not read', 'Not read', 'Not read']);
    await page.getByLabel('Free for').selectOption('60');
    expect(await page.locator('.wanted').count()).toBe(0);
    await page.getByLabel('Free for').selectOption('0');
    expect(await free()).toEqual([]);
    expect(await page.locator('#grid').getAttribute('aria-busy')).toBe('true');
    await timetable.band.filter({ hasText: 'Reading, 0 %. What is not read may be taken.' }).waitFor();
    const { x, y } = await timetable.pointOf('room-1', '2026-12-01T12:40:00+01:00');
    await page.mouse.click(x, y);
    await page.locator('#toast', { hasText: 'This time has not been read.' }).waitFor();
    await page.locator('[role=gridcell][tabindex="0"]').press('Enter');
    expect(await timetable.panel.isVisible()).toBe(false);
    release();
    await timetable.isRead();
    expect(await timetable.unread.count()).toBe(0);
    expect(await timetable.band.isVisible()).toBe(false);
    expect(await page.locator('#grid').getAttribute('aria-busy')).toBe('false');
  });

  it('is hatched after a change of the day while the service is away; Try now reads it', async () => {
    const { page } = timetable;
    await timetable.goTo(`${proxy.url}/timetable?date=2026-11-30&zone=Europe/Berlin`);
    // The page does not try again by itself before the test ends.
    proxy.treat = () => ({ status: 503, headers: { 'Retry-After': '300' } });
    await page.getByRole('button', { name: 'Next day' }).click();
    await timetable.band.filter({ hasText: 'The service has not responded since' }).waitFor();
    expect(await timetable.band.innerText()).toContain('What is not read may be taken.');
    expect(await timetable.unread.count()).toBeGreaterThan(0);
    expect(await free()).toEqual([]);
    expect(await timetable.status.innerText()).toMatch(/so far · last read at/);
    proxy.treat = () => 'pass';
    await page.getByRole('button', { name: 'Try now' }).click();
    await timetable.isRead();
    expect(await timetable.unread.count()).toBe(0);
  });

  it('is what the last read failed for, though it was read before; a walk continues where it broke off', async () => {
    proxy.treat = ({ url = '' }) => (url.includes('cursor=') ? 'cut' : 'pass');
    const before = proxy.requests.length;
    timetable = hurried;
    await goTo();
    await timetable.band.filter({ hasText: 'has not responded' }).waitFor();
    await timetable.booked('Guest').first().waitFor();
    expect(await free()).toEqual([]);
    proxy.treat = () => 'pass';
    await timetable.isRead();
    const walked = proxy.requests.slice(before).filter((line) => line.includes('sort=start'));
    expect(new Set(walked).size).toBe(3);
    expect((await free()).length).toBeGreaterThan(60);
    proxy.treat = () => 'cut';
    await timetable.unread.first().waitFor();
    expect(await free()).toEqual([]);
    expect(await timetable.booked('Guest').count()).toBe(288);
    proxy.treat = () => 'pass';
    await timetable.isRead();
    expect(await timetable.unread.count()).toBe(0);
  });

  it('is hatched while requests are limited, and a pause of days is not obeyed for longer than five minutes', async () => {
    const { page } = timetable;
    proxy.treat = (request) => (isWindow(request) ? limited(86_400 * 30) : 'pass');
    const before = proxy.requests.length;
    await goTo();
    await timetable.band.filter({ hasText: 'The service has limited requests since' }).waitFor();
    expect(await free()).toEqual([]);
    // 20 more requests would take less than a second, if the pause were forgotten.
    for (let frame = 0; frame < 20; frame++) await page.evaluate('new Promise(requestAnimationFrame)');
    expect(proxy.requests.length - before).toBeLessThanOrEqual(3);
    proxy.treat = () => 'pass';
    await page.getByRole('button', { name: 'Try now' }).click();
    await timetable.isRead();
  });

  it('is never free, whatever fails meanwhile; in the end, what is drawn is what there is', async () => {
    timetable = hurried;
    const { page } = timetable;
    const bookings = await Promise.all(
      ['room-1', 'room-2', 'room-3'].map((resource) => listed(service, `resource_id=${resource}&limit=100`)),
    );
    const midnight = Date.parse('2026-12-01T00:00:00+01:00');
    const hours = (instant: string) => (Date.parse(instant) - midnight) / 3_600_000;
    const held = bookings.flat().map(({ slot }) => ({
      resource: slot!.resource_id,
      start: hours(slot!.start),
      end: hours(slot!.end),
    }));
    const lies = (drawn: Free[]) =>
      drawn.filter(({ resource, start, end }) =>
        held.some((other) => other.resource === resource && other.start < end - 0.02 && other.end > start + 0.02),
      );
    const actions = fc.constantFrom('forth', 'back', 'week', 'day', 'reload');
    const treatments = fc.constantFrom<Treatment | 'slow'>(
      'pass',
      'pass',
      'cut',
      { status: 503 },
      { status: 500 },
      'slow',
    );
    const plays = fc.array(fc.tuple(actions, fc.array(treatments, { minLength: 1, maxLength: 7 })), {
      minLength: 6,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(plays, async (play) => {
        let sent = 0;
        let treated: (Treatment | 'slow')[] = ['pass'];
        proxy.treat = async (): Promise<Treatment> => {
          const treatment = treated[sent++ % treated.length]!;
          if (treatment !== 'slow') return treatment;
          await new Promise((resolve) => setTimeout(resolve, 50));
          return 'pass';
        };
        await goTo();
        for (const [action, treatments_] of play) {
          treated = treatments_;
          if (action === 'reload') await page.reload();
          else await page.locator(`#${action}`).click();
          const isTheDay = (await page.locator('h1').innerText()) === 'Tue, 1 Dec 2026';
          expect(isTheDay ? lies(await free()) : []).toEqual([]);
        }
        proxy.treat = () => 'pass';
        await goTo();
        await timetable.isRead();
        await timetable.unread.first().waitFor({ state: 'detached' });
        expect(await page.locator('.booked').count()).toBe(held.length);
        expect(lies(await free())).toEqual([]);
      }),
      { numRuns: 2 },
    );
  });
});
