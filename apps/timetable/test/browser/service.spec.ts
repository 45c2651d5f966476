import { createHash, randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BookingsClient } from '@booking-service/client';
import { ServiceProcess, until } from 'testing';
import { ADDRESS, client, desk, service, slotOf, Timetable } from '../support/timetable.js';

const { page, panel } = desk;
const unread = page.locator('.unread');
const DATE = '2026-12-08';
const LAB = `?date=${DATE}&zone=Europe/Berlin&filter=lab/`;

function newKey(scopes: string) {
  const key = `bookings_${randomBytes(32).toString('base64url')}`;
  return { key, line: `desk sha256:${createHash('sha256').update(key).digest('hex')} ${scopes}\n` };
}

beforeAll(async () => {
  await client.create({ slot: slotOf('lab/a', '10:00', '11:00', DATE), guest: { name: 'Ada' } });
  await client.create({ slot: slotOf('lab/a', '11:45', '13:00', DATE), guest: { name: 'Zoë' } });
});

describe('What is not known', () => {
  const free = () => page.locator('.free').count();

  it('is hatched while a slow service has not responded, and cannot be booked by a click', async () => {
    const release = await desk.hold();
    await page.goto(`${service.url}/timetable${LAB}&free=60`);
    await page.getByLabel('Free for').selectOption('');
    await unread.first().waitFor();
    expect(await unread.first().getAttribute('aria-label')).toBe('Not read, 00:00 to 24:00');
    expect([await unread.allInnerTexts(), await free()]).toEqual([['Not read', 'Not read'], 0]);
    expect(await page.locator('#grid').getAttribute('aria-busy')).toBe('true');
    await desk.says('status', '0 % read · Hatched time may be taken');
    await desk.choose('lab/a', 12.7);
    await desk.says('toast', 'This time has not been read.');
    await page.locator('[role=gridcell][tabindex="0"]').press('Enter');
    expect(await panel.isVisible()).toBe(false);
    await desk.press('a');
    expect(await page.locator('#agenda h2').innerText()).toBe('Tue 8 Dec');
    await desk.press('a');
    release();
    await page.locator('#grid[aria-busy=false]').waitFor();
    expect(await unread.count()).toBe(0);
  });
});

describe('A page of a service that requires tokens', () => {
  const file = join(tmpdir(), `timetable-keys-${process.pid}`);
  const full = newKey('bookings:read,bookings:write');
  const readOnly = newKey('bookings:read');
  const writeOnly = newKey('bookings:write');
  let service: ServiceProcess;
  beforeAll(async () => {
    writeFileSync(file, full.line + readOnly.line + writeOnly.line);
    service = await ServiceProcess.start({ AUTH_API_KEYS_FILE: file });
    const client = new BookingsClient({ baseUrl: service.url, token: full.key });
    await client.create({ slot: slotOf('room-1', '10:00', '11:00'), guest: { name: 'Ada' } });
  });
  afterAll(async () => {
    await service.stop();
    rmSync(file);
  });
  const open = ({ page } = desk) => page.goto(`${service.url}/timetable${ADDRESS}`);
  const why = page.locator('#token-why');
  const give = async (key: string, { page } = desk) => {
    await page.getByLabel('Token', { exact: true }).fill(key);
    await page.getByRole('button', { name: 'Continue' }).click();
  };

  it('asks for one first, distinguishes 401 from 403, keeps it in this tab only, and notices its revocation', async () => {
    desk.requests.length = 0;
    await open();
    await why.filter({ hasText: 'This service requires a token.' }).waitFor();
    await desk.isAccessible('the dialog that requests a token');
    expect(desk.requests.filter((url) => url.startsWith(`${service.url}/v1/`))).toHaveLength(1);
    await give('not good');
    expect(await page.locator('#token:invalid').count()).toBe(1);
    await give(newKey('').key);
    await why.filter({ hasText: 'The service does not accept this token' }).waitFor();
    await give(writeOnly.key);
    await why.filter({ hasText: 'lacks the scope to read bookings' }).waitFor();
    await give(full.key);
    await desk.booked('Ada').waitFor();
    await page.reload();
    await desk.booked('Ada').waitFor();
    const kept = await page.evaluate(`[JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie]`);
    expect((kept as string[]).map((text) => text.includes(full.key))).toEqual([false, true, false]);
    expect(desk.requests.join()).not.toContain(full.key);

    writeFileSync(file, readOnly.line);
    await until(() => desk.pass().then(() => why.isVisible()));
    expect(await why.innerText()).toContain('unknown, revoked or expired');
    expect(await desk.booked('Ada').isVisible()).toBe(true);
    await desk.press('Escape', 'Escape');
    await desk.says('trouble', 'The service requires a token');
    await desk.says('status', /^Last read at/);
    await page.getByRole('button', { name: 'Enter a token' }).click();
    await give(`Bearer ${readOnly.key}`);
    await desk.isRead();
  });

  it('offers no more bookings once it has rejected a token that can only read, and says so once', async () => {
    await page.evaluate('sessionStorage.clear()');
    await open();
    await give(readOnly.key);
    await desk.isRead();
    await desk.drag('room-1', 12, 13);
    await desk.book('Grace');
    await desk.says('toast', 'This token cannot create bookings: nothing was booked');
    expect(await page.getByLabel('Token', { exact: true }).isVisible()).toBe(false);
    expect(await page.locator('#new').isVisible()).toBe(false);
    await desk.isAccessible('a page that only shows bookings');
    await desk.choose('room-1', 12.2);
    await desk.press('n');
    expect(await panel.isVisible()).toBe(false);
    await desk.press('w', 'n');
    expect(await page.locator('#week').getAttribute('aria-pressed')).toBe('true');
    await desk.press('d');
    await desk.booked('Ada').click();
    await page.getByRole('button', { name: 'Enter a token' }).click();
    await give(readOnly.key);
    await page.locator('#new').waitFor();
    expect(await panel.isVisible()).toBe(true);
  });

  it('accepts a token and keeps working if storage is blocked', async () => {
    const blocked = await Timetable.open();
    await blocked.page.addInitScript(`
      Object.defineProperty(globalThis, 'sessionStorage', { get: () => { throw new DOMException('blocked'); } });`);
    await open(blocked);
    await give(readOnly.key, blocked);
    await blocked.booked('Ada').waitFor();
    await blocked.isRead();
  });
});
