import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, ServiceProcess } from 'testing';
import { ADDRESS, create, describeInBrowser, slotOf, Timetable } from '../support/timetable.js';

describeInBrowser('A page that stays open', () => {
  let service: ServiceProcess;
  let timetable: Timetable;
  const port = freePort();

  beforeAll(async () => {
    service = await ServiceProcess.start({ PORT: String(await port) });
    await create(service, { slot: slotOf('room-1', '10:00', '11:00'), guest: { name: 'Ada' } });
    timetable = await Timetable.blank();
    await timetable.hurry();
    await timetable.goTo(`${service.url}/timetable${ADDRESS}`);
  });
  afterAll(async () => {
    const ofTheOutage = /Failed to load resource: .*(?:ERR_|429|503)/;
    expect(timetable.complaints.filter((text) => !ofTheOutage.test(text))).toEqual([]);
    await timetable.close();
    await service.stop();
  });

  it('shows bookings of other clients, also of new resources', async () => {
    const before = timetable.requests.length;
    await create(service, { slot: slotOf('room-1', '12:00', '13:00'), guest: { name: 'Grace' } });
    await create(service, { slot: slotOf('lab/bench', '12:00', '13:00'), guest: { name: 'Marie' } });
    await timetable.booked('Grace').waitFor({ timeout: 8_000 });
    await timetable.row('lab/bench').waitFor();
    expect(await timetable.page.locator('.group').innerText()).toMatch(/^lab$/i);
    const sent = timetable.requests.slice(before);
    expect(sent.filter((url) => !/\/v1\/bookings\?sort=-created_at&limit=(?:20|100)$/.test(url))).toEqual([]);
  });

  it('keeps its bookings while the service is away, shows since when, and recovers by itself', async () => {
    await timetable.booked('Ada').click();
    await service.stop();
    await timetable.poll();
    await timetable.band.filter({ hasText: /has not responded since \d\d:\d\d:\d\d\. Next attempt at/ }).waitFor();
    expect(await timetable.status.innerText()).toMatch(/last read at \d\d:\d\d:\d\d$/);
    expect(await timetable.booked('Ada').isVisible()).toBe(true);
    expect(await timetable.page.locator('#said').textContent()).toContain('has not responded');
    service = await ServiceProcess.start({ PORT: String(await port) });
    await create(service, { slot: slotOf('room-1', '14:00', '15:00'), guest: { name: 'After' } });
    await timetable.booked('After').waitFor();
    // It was in the memory of the service that has stopped.
    await timetable.booked('Ada').waitFor({ state: 'detached' });
    await timetable.panel.waitFor({ state: 'hidden' });
    expect(await timetable.page.locator('#toast').textContent()).toBe('This booking has been deleted.');
    expect(await timetable.page.locator('#said').textContent()).toBe('The service is back.');
  });

  it('sends no requests while it is hidden, and reads the whole window again when it is visible, and every five minutes', async () => {
    const { page } = timetable;
    await timetable.goTo(`${service.url}/timetable${ADDRESS}`);
    const setHidden = (hidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} });
        document.dispatchEvent(new Event('visibilitychange'))`);
    const isWhole = /sort=start.*from=/;
    await page.waitForRequest('**/v1/bookings?*');
    await setHidden(true);
    const before = timetable.requests.length;
    // Three polls would be sent in this time.
    await page.waitForTimeout(300);
    expect(timetable.requests.length).toBe(before);
    await page.evaluate('skew = 12_000');
    const again = page.waitForRequest(isWhole);
    await setHidden(false);
    await again;
    for (let turn = 0; turn < 3; turn++) {
      const request = await page.waitForRequest('**/v1/bookings?*');
      expect(request.url()).not.toMatch(isWhole);
    }
    const whole = page.waitForRequest(isWhole);
    await page.evaluate('skew = 320_000');
    await whole;
  });
});

describeInBrowser('A page of a service that requires tokens', () => {
  const folder = mkdtempSync(join(tmpdir(), 'timetable-keys-'));
  const file = join(folder, 'keys');
  const token = () => `bookings_${randomBytes(32).toString('base64url')}`;
  const [full, readOnly, writeOnly] = [token(), token(), token()];
  const line = (name: string, key: string, scopes: string) =>
    `${name} sha256:${createHash('sha256').update(key).digest('hex')} ${scopes}`;
  const lines = {
    full: line('desk', full, 'bookings:read,bookings:write'),
    readOnly: line('kiosk', readOnly, 'bookings:read'),
    writeOnly: line('box', writeOnly, 'bookings:write'),
  };
  const write = (...given: string[]) => writeFileSync(file, `${given.join('\n')}\n`);
  let service: ServiceProcess;
  let timetable: Timetable;

  beforeAll(async () => {
    write(lines.full, lines.readOnly, lines.writeOnly);
    service = await ServiceProcess.start({ AUTH_API_KEYS_FILE: file });
    await create(service, { slot: slotOf('room-1', '10:00', '11:00'), guest: { name: 'Ada' } }, bearer(full));
    timetable = await Timetable.blank();
    await timetable.hurry();
  });
  afterEach(async () => {
    await timetable.page.evaluate('localStorage.clear(); sessionStorage.clear()');
    timetable.requests.length = 0;
  });
  afterAll(async () => {
    await timetable.close();
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
  /** The file has every key again, and the service has read it. */
  const restore = async (): Promise<void> => {
    write(lines.full, lines.readOnly, lines.writeOnly);
    const isAccepted = async (): Promise<boolean> =>
      (await fetch(`${service.url}/v1/bookings`, { headers: bearer(full) })).status === 200;
    while (!(await isAccepted())) await sleep(50);
  };
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
    await why.filter({ hasText: 'This is not a token' }).waitFor();
    await give(timetable, token());
    await why.filter({ hasText: 'The service did not accept this token.' }).waitFor();
    await give(timetable, writeOnly);
    await why.filter({ hasText: 'lacks the scope to read bookings' }).waitFor();
    await give(timetable, full);
    await timetable.booked('Ada').waitFor();
    await page.reload();
    await timetable.booked('Ada').waitFor();
    const kept = await page.evaluate(`[JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie]`);
    expect((kept as string[]).map((text) => text.includes(full))).toEqual([false, true, false]);
    expect(timetable.requests.join()).not.toContain(full);

    write(lines.readOnly);
    await why.filter({ hasText: 'no longer valid' }).waitFor({ timeout: 15_000 });
    expect(await timetable.booked('Ada').isVisible()).toBe(true);
    await give(timetable, readOnly);
    await timetable.isRead();
  });

  it('can be looked at without one: the page says that it needs one, and has a button', async () => {
    await restore();
    const { page } = timetable;
    await page.goto(`${service.url}/timetable${ADDRESS}`);
    const dialog = page.locator('#token-dialog');
    await dialog.waitFor();
    await give(timetable, `Bearer ${full}`);
    await timetable.booked('Ada').waitFor();
    write(lines.readOnly);
    await dialog.waitFor();
    for (let time = 0; time < 2; time++) await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(await timetable.band.innerText()).toContain('The service requires a token.');
    expect(await timetable.status.innerText()).not.toContain('refreshed');
    expect(await timetable.booked('Ada').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Enter a token' }).click();
    await give(timetable, readOnly);
    await timetable.isRead();
    expect(await timetable.band.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Forget token' }).click();
    await page.locator('#token-why', { hasText: 'requires a token' }).waitFor();
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
    expect(await timetable.row('room-1').count()).toBe(0);
  });

  it('takes a token, and lives, where storage is blocked', async () => {
    await restore();
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
    await restore();
    const { page } = timetable;
    await page.goto(`${service.url}/timetable${ADDRESS}`);
    await give(timetable, readOnly);
    await timetable.booked('Ada').waitFor();
    await timetable.drag('room-1', '2026-12-01T12:00:00+01:00', '2026-12-01T13:00:00+01:00');
    await timetable.book('Grace');
    await page.locator('#notice', { hasText: 'This token cannot create bookings: nothing was booked' }).waitFor();
    expect(await page.getByLabel('Token', { exact: true }).isVisible()).toBe(false);
    expect(await page.locator('#new').isVisible()).toBe(false);
    const { x, y } = await timetable.pointOf('room-1', '2026-12-01T12:10:00+01:00');
    await page.mouse.click(x, y);
    await page.keyboard.press('n');
    expect(await timetable.panel.isVisible()).toBe(false);
    expect(await page.locator('.mark').count()).toBe(0);
    await timetable.booked('Ada').click();
    expect(await timetable.panel.isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Forget token' }).click();
    await page.locator('#token-why', { hasText: 'requires a token' }).waitFor();
    await give(timetable, full);
    await page.locator('#new').waitFor();
  });
});
