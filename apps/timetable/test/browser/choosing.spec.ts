import { ServiceProcess } from 'testing';
import { ADDRESS, create, DAY, describeInBrowser, listed, slotOf, Timetable } from '../support/timetable.js';

describeInBrowser('Choosing', () => {
  let service: ServiceProcess;
  let timetable: Timetable;

  beforeAll(async () => {
    service = await ServiceProcess.start({ TIMETABLE_RESOURCES: 'berlin/hall,berlin/lab,tokyo/dojo' });
    await create(service, { slot: slotOf('berlin/hall', '10:00', '12:00'), title: 'Zoë; the choir' });
    await create(service, { slot: slotOf('tokyo/dojo', '14:00', '15:00'), title: 'Kendo' });
    await create(service, { title: 'A voucher' });
    timetable = await Timetable.open(service);
  });
  afterAll(async () => {
    expect(timetable.complaints).toEqual([]);
    await timetable.close();
    await service.stop();
  });
  afterEach(() => timetable.page.goto(`${service.url}/timetable${ADDRESS}`).then(() => timetable.isRead()));

  const instant = (time: string) => `2026-12-01T${time}:00+01:00`;

  it('says the times while dragging, and whether they overlap; handles change them while the form is open', async () => {
    const { page } = timetable;
    const [from, to, over] = [
      await timetable.pointOf('berlin/hall', instant('08:00')),
      await timetable.pointOf('berlin/hall', instant('09:30')),
      await timetable.pointOf('berlin/hall', instant('10:30')),
    ];
    const mark = page.locator('.chosen');
    await page.mouse.move(from.x + 1, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x - 1, to.y, { steps: 3 });
    expect(await mark.innerText()).toBe('08:00–09:30 · 1 h 30 min');
    expect(await mark.getAttribute('class')).not.toContain('clash');
    await page.mouse.move(over.x - 1, over.y, { steps: 3 });
    expect(await mark.getAttribute('class')).toContain('clash');
    await page.mouse.move(to.x - 1, to.y);
    await page.mouse.up();
    await page.getByLabel('Name').fill('Grace');
    const handle = await mark.locator('.handle.start').boundingBox();
    const earlier = await timetable.pointOf('berlin/hall', instant('07:00'));
    await page.mouse.move(handle!.x + 7, handle!.y + 15);
    await page.mouse.down();
    await page.mouse.move(earlier.x + 1, earlier.y, { steps: 3 });
    await page.mouse.up();
    expect(await page.locator('#panel-title').innerText()).toBe('Tue 1 Dec, 07:00–09:30');
    expect(await page.getByLabel('Start time').inputValue()).toBe('07:00');
    expect(await page.getByLabel('Name').inputValue()).toBe('Grace');
  });

  it('the end follows the start, and chips set it', async () => {
    const { page } = timetable;
    const { x, y } = await timetable.pointOf('berlin/lab', instant('09:10'));
    await page.mouse.click(x, y);
    await page.getByLabel('Start time').fill('23:30');
    expect(await page.getByLabel('End time').inputValue()).toBe('00:30');
    expect(await page.getByLabel('End date').inputValue()).toBe('2026-12-02');
    await page.getByRole('button', { name: '2 h', exact: true }).click();
    expect(await page.getByLabel('End time').inputValue()).toBe('01:30');
    expect(await page.getByRole('button', { name: '2 h', exact: true }).getAttribute('aria-pressed')).toBe('true');
    expect(await page.locator('#form').innerText()).toContain('A booking cannot be changed or cancelled here.');
  });

  it('nights without a booking are folded, and open with a click', async () => {
    const { page } = timetable;
    await timetable.goTo(`${service.url}/timetable?date=${DAY}&zone=Europe/Berlin`);
    const hours = () => page.locator('.hour').allInnerTexts();
    expect((await hours())[0]).toBe('08');
    expect((await hours()).at(-1)).toBe('17');
    const night = (await page.locator('#hours .night').first().boundingBox())!;
    await page.mouse.click(night.x + 5, night.y + night.height + 60);
    await page.locator('.hour', { hasText: '00' }).waitFor();
    expect(await hours()).toHaveLength(24);
    expect(page.url()).toContain('nights=open');
  });

  it('by keys in the grid, and nowhere else, and by headings: T, D, W, N and a day of a week', async () => {
    const { page } = timetable;
    const focusGrid = () => page.locator('.cell[tabindex="0"]').focus();
    await page.keyboard.press('w');
    await page.locator('#back').focus();
    await page.keyboard.press('w');
    expect(new URL(page.url()).search).toContain('span=day');
    await focusGrid();
    await page.keyboard.press('w');
    await page.locator('.day', { hasText: 'Thu 3 Dec' }).click();
    expect(new URL(page.url()).search).toContain('date=2026-12-03&span=day');
    await focusGrid();
    await page.keyboard.press('w');
    await page.keyboard.press('d');
    expect(await page.locator('#day').getAttribute('aria-pressed')).toBe('true');
    await page.keyboard.press('t');
    expect(new URL(page.url()).search).not.toContain('date=');
    await page.keyboard.press('n');
    await page.getByLabel('Name').fill('T, D, W and N');
    expect(await page.getByLabel('Name').inputValue()).toBe('T, D, W and N');
  });

  it('by searching for what a booking says, by collapsing groups, and by a time that must be free', async () => {
    const { page } = timetable;
    const names = () => page.locator('.row .name').allInnerTexts();
    await page.getByLabel('Search').fill('zoe');
    expect(await names()).toEqual(['berlin', 'hall']);
    expect(await page.locator('.found').count()).toBe(1);
    await page.getByLabel('Search').fill('');
    await page.getByRole('button', { name: 'Group berlin, 2' }).click();
    expect(await names()).toEqual(['berlin', 'tokyo', 'dojo']);
    await page.getByLabel('Free for').selectOption('480');
    await page.locator('#nights').click();
    // In days of 8 to 18, only the lab is.
    expect(await names()).toEqual(['berlin']);
    await page.getByLabel('Free for').selectOption('60');
    await page.getByLabel('Free at').fill('14:00');
    await page.locator('.taken').waitFor();
    expect(await names()).toEqual(['berlin/hall', 'berlin/lab', 'tokyo/dojo']);
    await timetable.row('berlin/lab').locator('.wanted').click();
    expect(await page.locator('#panel-title').innerText()).toBe('Tue 1 Dec, 14:00–15:00');
  });

  it('the agenda of a resource, and what has no slot', async () => {
    const { page } = timetable;
    await timetable.row('berlin/hall').locator('.name').click();
    expect(await timetable.panel.locator('.entry').allInnerTexts()).toEqual([
      '00:00–10:00\nFree, 10 h',
      '10:00–12:00\nZoë; the choir',
      '12:00–00:00\nFree, 12 h',
    ]);
    await create(service, { slot: slotOf('berlin/hall', '16:00', '17:00'), title: 'Yoga' });
    await timetable.poll();
    // The agenda stays up to date.
    await timetable.panel.getByText('Yoga').waitFor();
    await timetable.panel.getByText('Zoë').click();
    expect(await page.locator('.open').count()).toBe(1);
    await page.locator('#slotless').click();
    await timetable.panel.getByText('A voucher').click();
    expect(await timetable.panel.innerText()).toContain('Created');
  });

  it('a link leads to the booking; its calendar file is an event', async () => {
    const { page } = timetable;
    await timetable.booked('Zoë').click();
    const link = await page.getByText('Copy link').evaluate((element) => (element as HTMLAnchorElement).href);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('.ics').click()]);
    expect(download.suggestedFilename()).toMatch(/^[0-9a-f-]{36}\.ics$/);
    await page.goto(link);
    await timetable.panel.getByText('Zoë; the choir').first().waitFor();
    expect(await page.locator('.open').count()).toBe(1);
    await page.goto(`${link}0`);
    await page.getByText('The linked booking was not found.').waitFor();
    timetable.complaints.length = 0;
  });

  it('a sheet for printing has every row and the whole day, on its width', async () => {
    const { page } = timetable;
    await page.setViewportSize({ width: 500, height: 300 });
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
    expect(await page.locator('.row:not(.group)').count()).toBe(3);
    const width = await page.evaluate<number>(`document.querySelector('#rows').getBoundingClientRect().width`);
    expect(Math.abs(width - 970)).toBeLessThan(2);
    await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
    await page.emulateMedia({ media: 'screen' });
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('in hours of AM and PM, and weeks from Sunday, where the browser has them', async () => {
    const american = await Timetable.open(service, ADDRESS.replace('day', 'week'), { locale: 'en-US' });
    expect(await american.page.locator('.day').first().innerText()).toBe('Sun Nov 29');
    expect(await american.status.innerText()).toMatch(/updated \d\d?:\d\d [AP]M,/);
    await american.page.locator('#day').click();
    await american.booked('Zoë').waitFor();
    expect(await american.booked('Zoë').getAttribute('aria-label')).toBe('Zoë; the choir, 10:00 AM to 12:00 PM');
    expect(await american.page.locator('.hour').first().innerText()).toBe('12 AM');
    await american.close();
    expect(await listed(service)).toHaveLength(4);
  });
});
