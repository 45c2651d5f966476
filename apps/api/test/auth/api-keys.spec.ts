import { execFileSync } from 'node:child_process';
import { openSync, rmSync, symlinkSync } from 'node:fs';
import type { Scope } from '@booking-service/contracts';
import { until } from 'testing';
import { digestOf, parseApiKeys } from '../../src/features/auth/api-keys.js';
import { anApiKey, ApiKeysFile } from '../support/api-keys.js';
import { type RunningApp, startApp } from '../support/start-app.js';

const desk = anApiKey('desk');
const kiosk = anApiKey('kiosk.2_a-b', 'bookings:read');
const DIGEST = desk.line.split(' ')[1]!;

describe('The text of a file of API keys', () => {
  it('has a key on each line, in addition to empty lines and comments; a caller may have several', () => {
    const upperCase = `desk \t ${DIGEST.replace(/[a-f]/g, (digit) => digit.toUpperCase())}   bookings:write`;
    const again = anApiKey('desk');
    const text = ['# front of house', upperCase, '', '  # and', `  ${kiosk.line}\t`, again.line].join('\r\n');
    const holder = (name: string, ...names: Scope[]) => ({ id: name, name, scopes: new Set(names) });
    expect([...parseApiKeys(text)]).toEqual([
      [digestOf(desk.token), holder('api-key desk', 'bookings:write')],
      [digestOf(kiosk.token), holder('api-key kiosk.2_a-b', 'bookings:read')],
      [digestOf(again.token), holder('api-key desk', 'bookings:read', 'bookings:write')],
    ]);
  });

  it.each([
    ['no key', '# desk', /^it has no key$/],
    ['the token itself', `desk ${desk.token} bookings:read`, /^line 2 is not NAME sha256:64-HEX-DIGITS SCOPE,...$/],
    ['a name of 65 characters', `${'n'.repeat(65)} ${DIGEST} bookings:read`, /^line 2 is not/],
    ['no scope', `desk ${DIGEST}`, /^line 2 is not/],
    ['something after the scopes', `${desk.line} 2027-01-01`, /^line 2 is not/],
    ['an unknown scope', `desk ${DIGEST} bookings:delete`, /^the scopes of line 2 are not bookings:read or bookings:w/],
    ['a scope twice', `desk ${DIGEST} bookings:read,bookings:read`, /^the scopes of line 2 are not/],
    ['one token twice', `${desk.line}\nkiosk ${DIGEST} bookings:read`, /^line 3 repeats an earlier token$/],
    ['errors in many lines', 'wrong\n'.repeat(1_000), /^line 2 is not [^;]*$/],
  ])('is rejected with %s, without the content of any line', (_, bad, reason) => {
    const read = (): unknown => parseApiKeys(`# comment\n${bad}`);
    expect(read).toThrow(reason);
    expect(read).toThrow(new RegExp(`^((?!${desk.token}|${DIGEST}).)*$`));
  });
});

/** The path of a file that was removed, but still shows, like a mount of a file that was replaced. */
function removed({ path }: ApiKeysFile): string {
  const descriptor = openSync(path, 'r');
  rmSync(path);
  return `/proc/self/fd/${descriptor}`;
}

describe('A file of API keys', () => {
  let file: ApiKeysFile;
  let running: RunningApp;

  beforeEach(async () => {
    file = new ApiKeysFile(desk, kiosk);
    running = await startApp({ AUTH_API_KEYS_FILE: file.path });
  });
  afterEach(() => running.close());

  const statusWith = async ({ token }: { token: string }): Promise<number> =>
    (await fetch(`${running.url}/v1/bookings`, { headers: { authorization: `Bearer ${token}` } })).status;
  const untilRejected = (key: { token: string }): Promise<number> => until(async () => (await statusWith(key)) === 401);
  const log = (): string => running.logged.join('');

  it('is read again within seconds, even if a link replaces it: a key that is gone is rejected', async () => {
    expect(await statusWith(desk)).toBe(200);
    const next = new ApiKeysFile(kiosk);
    rmSync(file.path);
    symlinkSync(next.path, file.path);
    await untilRejected(desk);
    expect(await statusWith(kiosk)).toBe(200);
    await until(() => log().includes(`Reloaded: API keys of ${file.path} (1).`));
  });

  it('keeps the previous keys while it is invalid, and logs each fault once', async () => {
    const failures = (): number => log().match(/The keys read before stay valid/g)?.length ?? 0;
    const isValid = async (value: number): Promise<boolean> =>
      (await running.metrics()).includes(`\nsettings_file_valid{setting="AUTH_API_KEYS_FILE"} ${value}\n`);
    expect(await isValid(1)).toBe(true);
    const spoiled = [
      () => file.write(desk.line.slice(0, 30)),
      () => file.write(''),
      () => rmSync(file.path),
      // A read of a pipe would wait for a writer for ever.
      () => execFileSync('mkfifo', [file.path]),
      () => {
        rmSync(file.path);
        symlinkSync(removed(new ApiKeysFile(kiosk)), file.path);
      },
    ];
    for (const [index, spoil] of spoiled.entries()) {
      spoil();
      await until(() => failures() === index + 1);
      expect([await statusWith(desk), await statusWith(kiosk)]).toEqual([200, 200]);
      expect(await isValid(0)).toBe(true);
    }
    rmSync(file.path);
    file.write(kiosk.line);
    await untilRejected(desk);
    expect(await statusWith(kiosk)).toBe(200);
    expect(failures()).toBe(spoiled.length);
    expect(await isValid(1)).toBe(true);
  });
});
