import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BookingsClient } from '@booking-service/client';
import { ServiceProcess } from 'testing';
import { expectAccessible } from '../support/accessible.js';
import { ADDRESS, at, desk, slotOf, Timetable } from '../support/timetable.js';

const { page, panel } = desk;
const why = page.locator('#token-why');

describe('A page of a service that requires tokens', () => {
  const folder = mkdtempSync(join(tmpdir(), 'timetable-keys-'));
  const file = join(folder, 'keys');
  const token = () => `bookings_${randomBytes(32).toString('base64url')}`;
  const [full, readOnly, writeOnly] = [token(), token(), token()];
  const line = (key: string, scopes: string) =>
    `desk sha256:${createHash('sha256').update(key).digest('hex')} ${scopes}\n`;
  const readOnlyLine = line(readOnly, 'bookings:read');
  let service: ServiceProcess;

  beforeAll(async () => {
    writeFileSync(file, line(full, 'bookings:read,bookings:write') + readOnlyLine + line(writeOnly, 'bookings:write'));
    service = await ServiceProcess.start({ AUTH_API_KEYS_FILE: file });
    const client = new BookingsClient({ baseUrl: service.url, token: full });
    await client.create({ slot: slotOf('room-1', '10:00', '11:00'), guest: { name: 'Ada' } });
  });
  afterAll(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  const give = async (key: string, { page } = desk) => {
    await page.getByLabel('Token', { exact: true }).fill(key);
    await page.getByRole('button', { name: 'Continue' }).click();
  };

  it('requests one first, distinguishes 401 from 403, keeps it in this tab only, and notices that it was revoked', async () => {
    desk.requests.length = 0;
    await page.goto(`${service.url}/timetable${ADDRESS}`);
    await why.filter({ hasText: 'This service requires a token.' }).waitFor();
    await expectAccessible(desk, 'the dialog that requests a token');
    expect(desk.requests.filter((url) => url.includes('/v1/'))).toHaveLength(1);
    await give('not good');
    expect(await page.locator('#token:invalid').count()).toBe(1);
    await give(token());
    await why.filter({ hasText: 'The service does not accept this token' }).waitFor();
    await give(writeOnly);
    await why.filter({ hasText: 'lacks the scope to read bookings' }).waitFor();
    await give(full);
    await desk.booked('Ada').waitFor();
    await page.reload();
    await desk.booked('Ada').waitFor();
    const kept = await page.evaluate(`[JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie]`);
    expect((kept as string[]).map((text) => text.includes(full))).toEqual([false, true, false]);
    expect(desk.requests.join()).not.toContain(full);

    writeFileSync(file, readOnlyLine);
    while (await why.isHidden()) await desk.pass();
    expect(await why.innerText()).toContain('unknown, revoked or expired');
    expect(await desk.booked('Ada').isVisible()).toBe(true);
    await desk.press('Escape', 'Escape');
    await desk.hasStatus(/^The service requires a token · last read at/);
    await page.getByRole('button', { name: 'Enter a token' }).click();
    await give(`Bearer ${readOnly}`);
    await desk.isRead();
    await page.getByRole('button', { name: 'Forget token' }).click();
    await why.filter({ hasText: 'requires a token' }).waitFor();
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
    expect(await desk.row('room-1').count()).toBe(0);
  });

  it('offers no more after the first rejection of a token that can only read, and says so once', async () => {
    await page.goto(`${service.url}/timetable${ADDRESS}`);
    await give(readOnly);
    await desk.isRead();
    await desk.drag('room-1', at('12:00'), at('13:00'));
    await desk.book('Grace');
    await desk.hasToast('This token cannot create bookings: nothing was booked');
    expect(await page.getByLabel('Token', { exact: true }).isVisible()).toBe(false);
    expect(await page.locator('#new').isVisible()).toBe(false);
    await expectAccessible(desk, 'a page that only shows bookings');
    await desk.choose('room-1', at('12:10'));
    await desk.press('n');
    expect(await panel.isVisible()).toBe(false);
    expect(await page.locator('.mark').count()).toBe(0);
    await desk.booked('Ada').click();
    expect(await panel.isVisible()).toBe(true);
  });

  it('takes a token, and lives, where storage is blocked', async () => {
    const blocked = await Timetable.open();
    await blocked.page.addInitScript(`
      for (const name of ['localStorage', 'sessionStorage']) {
        Object.defineProperty(globalThis, name, { get: () => { throw new DOMException('blocked', 'SecurityError'); } });
      }`);
    await blocked.page.goto(`${service.url}/timetable${ADDRESS}`);
    await give(readOnly, blocked);
    await blocked.booked('Ada').waitFor();
    await blocked.isRead();
    await blocked.close();
  });
});
