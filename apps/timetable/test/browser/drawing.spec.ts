import { createServer } from 'node:http';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { ServiceProcess } from 'testing';
import { ADDRESS, create, describeInBrowser, listed, slotOf, Timetable } from '../support/timetable.js';

/** A box that is drawn: what it says, and where it lies on the lines of the grid. */
interface Box {
  label: string;
  left: number;
  width: number;
  whole: number;
}

/** Runs in the page. */
const BOXES = `[...document.querySelectorAll('.booked')].map((box) => {
  const [{ left, width }, lines] = [box.getBoundingClientRect(), document.querySelector('#lines').getBoundingClientRect()];
  return { label: box.ariaLabel, left: left - lines.left, width, whole: lines.width };
})`;

describeInBrowser('What is drawn', () => {
  let service: ServiceProcess;
  let timetable: Timetable;
  beforeAll(async () => {
    service = await ServiceProcess.start({ TIMETABLE_RESOURCES: 'empty room' });
    for (let index = 0; index < 60; index++) {
      const hour = String(8 + (index % 10)).padStart(2, '0');
      const slot = slotOf(
        `${index % 2 === 0 ? 'a' : 'b'}/room-${index % 6}`,
        `${hour}:00`,
        `${hour}:${35 + (index % 20)}`,
      );
      if (index < 30 || index % 10 > 4) await create(service, { slot, guest: { name: `n${index}` } }).catch(() => {});
    }
    timetable = await Timetable.blank({ viewport: { width: 2100, height: 1400 } });
  });
  afterAll(async () => {
    expect(timetable.complaints).toEqual([]);
    await timetable.close();
    await service.stop();
  });

  it('matches the list, each box within a pixel of its instants', async () => {
    await timetable.goTo(`${service.url}/timetable${ADDRESS}`);
    const boxes = await timetable.page.evaluate<Box[]>(BOXES);
    const bookings = await listed(service);
    expect(boxes.length).toBeGreaterThan(20);
    const drawn = new Set(boxes.map(({ label }) => label.split(',')[0]));
    expect(drawn).toEqual(new Set(bookings.map(({ guest }) => (guest as { name: string }).name)));
    expect(boxes).toHaveLength(bookings.length);
    const start = Date.parse('2026-12-01T00:00:00+01:00');
    for (const { guest, slot } of bookings) {
      const box = boxes.find(({ label }) => label.startsWith(`${(guest as { name: string }).name},`))!;
      const x = (instant: string) => ((Date.parse(instant) - start) / 86_400_000) * box.whole;
      expect(Math.abs(box.left - x(slot!.start))).toBeLessThan(1);
      expect(Math.abs(box.width - (x(slot!.end) - x(slot!.start)))).toBeLessThan(1);
    }
  });

  it('is grouped by prefix, and can be filtered by name and by free time; the address has all of it', async () => {
    await timetable.goTo(`${service.url}/timetable${ADDRESS}`);
    const { page } = timetable;
    const names = () => page.locator('.row .name').allTextContents();
    expect(await names()).toEqual(['empty room', 'a', 'room-0', 'room-2', 'room-4', 'b', 'room-1', 'room-3', 'room-5']);
    await page.getByLabel('Search').fill('B/ 3');
    expect(await names()).toEqual(['b', 'room-3']);
    await page.getByLabel('Search').fill('');
    await page.getByLabel('Free for').selectOption('480');
    expect(await page.locator('.wanted').first().innerText()).toBe('1 d');
    await page.getByLabel('Search').fill('empty');
    await page.locator('#zone').focus();
    await page.locator('#zone').selectOption('Asia/Tokyo');
    await page.getByRole('button', { name: 'Week' }).click();
    expect(new URL(page.url()).search).toBe('?date=2026-12-01&span=week&zone=Asia/Tokyo&filter=empty&free=480');
    const other = await Timetable.open(service, new URL(page.url()).search);
    expect(await other.page.locator('h1').innerText()).toBe(await page.locator('h1').innerText());
    expect(await other.page.locator('.row .name').allTextContents()).toEqual(['empty room']);
    expect(await other.page.getByLabel('Free for').inputValue()).toBe('480');
    await page.goBack();
    expect(await page.locator('#day').getAttribute('aria-pressed')).toBe('true');
    await other.close();
  });

  it('is today, with the faults, for an invalid address', async () => {
    const other = await Timetable.blank();
    // The first hour of a Sunday in Berlin, on which the clock changes; Saturday in UTC.
    await other.page.clock.setFixedTime('2026-10-24T22:30:00Z');
    await other.goTo(`${service.url}/timetable?date=2026-02-30&span=year&zone=Mars/Base&free=-1`);
    const notice = await other.page.getByRole('alert').first().innerText();
    for (const text of [
      '“2026-02-30” is not a valid date.',
      '“year” is not a valid span.',
      '“Mars/Base” is not a valid zone.',
      '“-1” is not a valid free.',
    ]) {
      expect(notice).toContain(text);
    }
    expect(await other.page.locator('#date').inputValue()).toBe('2026-10-25');
    expect(await other.page.locator('#now').isVisible()).toBe(true);
    expect(other.complaints).toEqual([]);
    await other.close();
  });

  it('is text, whatever bookings contain', async () => {
    const markup = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    const names = [markup, '\u202Eevil\u2066 txt', '👩‍👩‍👧‍👦'.repeat(18), `${'x/'.repeat(99)}y`, `__proto__`, '/', 'a//b'];
    for (const [index, resource] of names.entries()) {
      const slot = slotOf(resource, '10:00', '11:00');
      await create(service, { slot, name: `${markup} ${index}`, [markup]: { deep: [null, [], {}, 1.5, markup] } });
    }
    const deep = JSON.parse(`${'{"a":'.repeat(28)}"end"${'}'.repeat(28)}`) as object;
    await create(service, {
      slot: slotOf('big', '10:00', '11:00'),
      deep,
      text: 'ü'.repeat(30_000),
      list: Array(900).fill(0),
    });
    await create(service, {
      slot: { resource_id: 'long', start: '0001-01-01T00:00:00Z', end: '9999-12-31T00:00:00Z' },
    });
    await create(service, { name: 'has no slot' });

    await timetable.goTo(`${service.url}/timetable${ADDRESS}`);
    const { page } = timetable;
    expect(await page.locator('.row:not(.group) .name').count()).toBeGreaterThanOrEqual(names.length + 2);
    for (const resource of names) expect(await timetable.row(resource).count()).toBe(1);
    for (const resource of [names[0]!, 'big', 'long']) {
      await timetable.row(resource).locator('.booked').click();
      expect(await page.locator('dd').first().innerText()).toBe(resource);
    }
    expect(await page.title()).toContain('Timetable');
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.evaluate(`document.documentElement.scrollWidth`)).toBe(2100);
  });
});

describeInBrowser('The page elsewhere', () => {
  it('below a prefix, and on another host that names the service', async () => {
    const dist = new URL('../../dist/', import.meta.url);
    let api = '';
    const host = createServer((request, response) => {
      const path = request.url!.replace(/^\/some\/folder\//, '').replace(/\?.*/, '') || 'index.html';
      const type = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' }[path.split('.').at(-1)!];
      const text = readFileSync(new URL(path, dist), 'utf8');
      const named = text.replace('<meta name="bookings-api" content=""', `<meta name="bookings-api" content="${api}"`);
      response.writeHead(200, { 'Content-Type': type ?? 'text/html' }).end(named);
    }).listen(0, '127.0.0.1');
    await once(host, 'listening');
    const origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
    const service = await ServiceProcess.start({ CORS_ORIGINS: origin, TIMETABLE: 'false' });
    api = service.url;
    await create(service, { slot: slotOf('room-1', '10:00', '11:00'), guest: { name: 'Ada' } });
    const timetable = await Timetable.blank();
    // A service in the query is ignored.
    await timetable.goTo(`${origin}/some/folder/${ADDRESS}&bookings-api=${origin}&api=${origin}`);
    await timetable.booked('Ada').waitFor();
    await timetable.drag('room-1', '2026-12-01T12:00:00+01:00', '2026-12-01T13:00:00+01:00');
    await timetable.book('Grace');
    await timetable.booked('Grace').waitFor();
    expect(await listed(service)).toHaveLength(2);
    expect(timetable.requests.filter((url) => url.includes('/v1/') && !url.startsWith(service.url))).toEqual([]);
    expect(timetable.complaints).toEqual([]);
    await timetable.close();
    await service.stop();
    host.close();
  });
});
