import { ServiceProcess } from 'testing';
import { ADDRESS, create, describeInBrowser, slotOf, Timetable } from '../support/timetable.js';

describeInBrowser('What is drawn', () => {
  let service: ServiceProcess;
  let timetable: Timetable;
  beforeAll(async () => {
    service = await ServiceProcess.start({ TIMETABLE_RESOURCES: 'empty room,a/room-0,a/room-2,b/room-1,b/room-3' });
    timetable = await Timetable.blank({ viewport: { width: 2100, height: 1400 } });
  });
  afterAll(async () => {
    expect(timetable.complaints).toEqual([]);
    await timetable.close();
    await service.stop();
  });

  it('is grouped by prefix, and can be filtered by name and by free time; the address and the history have it', async () => {
    await timetable.goTo(`${service.url}/timetable${ADDRESS}`);
    const { page } = timetable;
    const search = page.getByLabel('Search');
    const names = () => page.locator('.row .name').allTextContents();
    expect(await names()).toEqual(['empty room', 'a', 'room-0', 'room-2', 'b', 'room-1', 'room-3']);
    await search.fill('B/ 3');
    expect(await names()).toEqual(['b', 'room-3']);
    await search.fill('empty');
    await page.getByLabel('Free for').selectOption('480');
    expect(await page.locator('.wanted').first().innerText()).toBe('1 d');
    await page.locator('#zone').focus();
    await page.locator('#zone').selectOption('Asia/Tokyo');
    await page.getByRole('button', { name: 'Week' }).click();
    const { search: query } = new URL(page.url());
    expect(query).toBe('?date=2026-12-01&span=week&zone=Asia/Tokyo&filter=empty&free=480');
    const other = await Timetable.open(service, query);
    expect(await other.page.locator('h1').innerText()).toBe(await page.locator('h1').innerText());
    expect(await other.page.locator('.row .name').allTextContents()).toEqual(['empty room']);
    expect(await other.page.getByLabel('Free for').inputValue()).toBe('480');
    await other.close();
    await page.goBack();
    expect(await page.locator('#day').getAttribute('aria-pressed')).toBe('true');
    await page.goBack();
    expect(await page.locator('#corner').innerText()).toBe('Europe/Berlin');
    expect(await search.inputValue()).toBe('empty');
  });

  it('is today for an invalid address, which cannot name a service', async () => {
    const { page } = timetable;
    timetable.requests.length = 0;
    const elsewhere = 'https://elsewhere.example';
    await timetable.goTo(`${service.url}/timetable?date=2026-02-30&span=year&zone=Mars/Base&free=-1&api=${elsewhere}`);
    expect(timetable.requests.filter((url) => !url.startsWith(service.url))).toEqual([]);
    expect(await page.locator('#date').inputValue()).toBe('2026-11-30');
    expect(await page.locator('#now').isVisible()).toBe(true);
    expect(await page.locator('#corner').innerText()).toBe('Europe/Berlin');
  });

  it('is text, whatever bookings contain', async () => {
    const markup = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    const names = [markup, '\u202Eevil\u2066 txt', '👩‍👩‍👧‍👦'.repeat(18), `${'x/'.repeat(99)}y`, `__proto__`, '/', 'a//b'];
    for (const [index, resource] of names.entries()) {
      const slot = slotOf(resource, '10:00', '11:00');
      await create(service, { slot, name: `${markup} ${index}`, [markup]: { deep: [null, [], {}, 1.5, markup] } });
    }
    const deep = JSON.parse(`${'{"a":'.repeat(28)}"end"${'}'.repeat(28)}`) as object;
    const big = { deep, text: 'ü'.repeat(30_000), list: Array(900).fill(0) };
    await create(service, { slot: slotOf('big', '10:00', '11:00'), ...big });
    await create(service, {
      slot: { resource_id: 'from yesterday', start: '2026-11-30T12:00:00+01:00', end: '2026-12-01T12:00:00+01:00' },
    });
    await create(service, {
      slot: { resource_id: 'until tomorrow', start: '2026-12-01T12:00:00+01:00', end: '2026-12-02T12:00:00+01:00' },
    });
    await create(service, { name: 'has no slot' });

    await timetable.goTo(`${service.url}/timetable${ADDRESS}`);
    const { page } = timetable;
    for (const resource of names) expect(await timetable.row(resource).count()).toBe(1);
    for (const resource of [markup, 'big', 'from yesterday', 'until tomorrow']) {
      await timetable.row(resource).locator('.booked').click();
      expect(await page.locator('dd').first().innerText()).toBe(resource);
    }
    expect(await page.title()).toContain('Timetable');
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.evaluate(`document.documentElement.scrollWidth`)).toBe(2100);
  });
});
