import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceProcess } from 'testing';
import { ADDRESS, create, slotOf, Timetable } from '../support/timetable.js';

describe('A page of a service that requires tokens', () => {
  const folder = mkdtempSync(join(tmpdir(), 'timetable-keys-'));
  const file = join(folder, 'keys');
  const token = () => `bookings_${randomBytes(32).toString('base64url')}`;
  const [full, readOnly, writeOnly] = [token(), token(), token()];
  const line = (key: string, scopes: string) =>
    `desk sha256:${createHash('sha256').update(key).digest('hex')} ${scopes}`;
  const readOnlyLine = line(readOnly, 'bookings:read');
  let service: ServiceProcess;
  let timetable: Timetable;

  beforeAll(async () => {
    const lines = [line(full, 'bookings:read,bookings:write'), readOnlyLine, line(writeOnly, 'bookings:write')];
    writeFileSync(file, `${lines.join('\n')}\n`);
    service = await ServiceProcess.start({ AUTH_API_KEYS_FILE: file });
    const authorization = { Authorization: `Bearer ${full}` };
    await create(service, { slot: slotOf('room-1', '10:00', '11:00'), guest: { name: 'Ada' } }, authorization);
    timetable = await Timetable.blank();
  });
  afterAll(async () => {
    await timetable.close();
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  const give = async ({ page }: Timetable, key: string) => {
    await page.getByLabel('Token', { exact: true }).fill(key);
    await page.getByRole('button', { name: 'Continue' }).click();
  };

  it('requests one first, distinguishes 401 from 403, keeps it in this tab only, and notices that it was revoked', async () => {
    const { page } = timetable;
    const why = page.locator('#token-why');
    await page.goto(`${service.url}/timetable${ADDRESS}`);
    await why.filter({ hasText: 'This service requires a token.' }).waitFor();
    expect(timetable.requests.filter((url) => url.includes('/v1/'))).toHaveLength(1);
    await give(timetable, 'not good');
    expect(await page.locator('#token:invalid').count()).toBe(1);
    await give(timetable, token());
    await why.filter({ hasText: 'The service does not accept this token' }).waitFor();
    await give(timetable, writeOnly);
    await why.filter({ hasText: 'lacks the scope to read bookings' }).waitFor();
    await give(timetable, full);
    await timetable.booked('Ada').waitFor();
    await page.reload();
    await timetable.booked('Ada').waitFor();
    const kept = await page.evaluate(`[JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie]`);
    expect((kept as string[]).map((text) => text.includes(full))).toEqual([false, true, false]);
    expect(timetable.requests.join()).not.toContain(full);

    writeFileSync(file, `${readOnlyLine}\n`);
    await why.filter({ hasText: 'unknown, revoked or expired' }).waitFor();
    expect(await timetable.booked('Ada').isVisible()).toBe(true);
    for (let time = 0; time < 2; time++) await page.keyboard.press('Escape');
    expect(await timetable.status.innerText()).toMatch(/^The service requires a token · last read at/);
    await page.getByRole('button', { name: 'Enter a token' }).click();
    await give(timetable, `Bearer ${readOnly}`);
    await timetable.isRead();
    await page.getByRole('button', { name: 'Forget token' }).click();
    await why.filter({ hasText: 'requires a token' }).waitFor();
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
    expect(await timetable.row('room-1').count()).toBe(0);
  });

  it('takes a token, and lives, where storage is blocked', async () => {
    const blocked = await Timetable.blank();
    const { page } = blocked;
    await page.addInitScript(`
      for (const name of ['localStorage', 'sessionStorage']) {
        Object.defineProperty(globalThis, name, { get: () => { throw new DOMException('blocked', 'SecurityError'); } });
      }`);
    await page.goto(`${service.url}/timetable${ADDRESS}`);
    await give(blocked, readOnly);
    await blocked.booked('Ada').waitFor();
    await blocked.isRead();
    await blocked.close();
  });

  it('offers no more after the first rejection of a token that can only read, and says so once', async () => {
    const { page } = timetable;
    await page.goto(`${service.url}/timetable${ADDRESS}`);
    await give(timetable, readOnly);
    await timetable.booked('Ada').waitFor();
    await timetable.drag('room-1', '2026-12-01T12:00:00+01:00', '2026-12-01T13:00:00+01:00');
    await timetable.book('Grace');
    await page.locator('#toast', { hasText: 'This token cannot create bookings: nothing was booked' }).waitFor();
    expect(await page.getByLabel('Token', { exact: true }).isVisible()).toBe(false);
    expect(await page.locator('#new').isVisible()).toBe(false);
    const { x, y } = await timetable.pointOf('room-1', '2026-12-01T12:10:00+01:00');
    await page.mouse.click(x, y);
    await page.keyboard.press('n');
    expect(await timetable.panel.isVisible()).toBe(false);
    expect(await page.locator('.mark').count()).toBe(0);
    await timetable.booked('Ada').click();
    expect(await timetable.panel.isVisible()).toBe(true);
  });
});
