import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { anApiKey, ApiKeysFile } from '../support/api-keys.js';
import { type RunningApp, startApp } from '../support/start-app.js';
import { until } from '../support/until.js';

const desk = anApiKey('desk');
const kiosk = anApiKey('kiosk');

let file: ApiKeysFile;
let running: RunningApp;

beforeEach(() => {
  file = new ApiKeysFile(desk, kiosk);
});
afterEach(async () => {
  await running.close();
  file.remove();
});

async function start(path = file.path): Promise<void> {
  running = await startApp({ AUTH_API_KEYS_FILE: path });
}

async function statusWith({ token }: { token: string }): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${running.url}/v1/bookings`, { headers })).status;
}

const untilStatus = (key: { token: string }, status: number): Promise<number> =>
  until(async () => (await statusWith(key)) === status);

const log = (): string => running.logged.join('');

const untilLogged = (text: string): Promise<number> => until(() => log().includes(text));

/** Puts the keys into a folder as Kubernetes does: a link to a link to a folder of its own for every version. */
function mountSecret(folder: string, version: string, ...lines: string[]): void {
  mkdirSync(join(folder, version));
  writeFileSync(join(folder, version, 'keys'), `${lines.join('\n')}\n`);
  symlinkSync(version, join(folder, '..data_tmp'));
  renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
}

describe('An API key', () => {
  it.each<[string, () => void]>([
    ['written in place', () => file.write(kiosk.line)],
    [
      'replaced by a rename',
      () => {
        writeFileSync(`${file.path}.new`, kiosk.line);
        renameSync(`${file.path}.new`, file.path);
      },
    ],
    [
      'removed and created again',
      () => {
        rmSync(file.path);
        file.write(kiosk.line);
      },
    ],
  ])('that is removed from the file is rejected within seconds: %s', async (_, change) => {
    await start();
    expect(await statusWith(desk)).toBe(200);
    change();
    expect(await untilStatus(desk, 401)).toBeLessThan(5_000);
    expect(await statusWith(kiosk)).toBe(200);
    await untilLogged(`Reloaded: API keys of ${file.path} (1).`);
  });

  it('is rejected and accepted as a Kubernetes secret changes, repeatedly', async () => {
    mountSecret(file.folder, '..1', desk.line);
    const path = join(file.folder, 'mounted');
    symlinkSync(join('..data', 'keys'), path);
    await start(path);
    expect(await statusWith(desk)).toBe(200);
    mountSecret(file.folder, '..2', kiosk.line);
    await untilStatus(desk, 401);
    expect(await statusWith(kiosk)).toBe(200);
    rmSync(join(file.folder, '..1'), { recursive: true });
    mountSecret(file.folder, '..3', desk.line, kiosk.line);
    await untilStatus(desk, 200);
  });

  it('is rejected with all others once the file is empty', async () => {
    await start();
    truncateSync(file.path);
    await untilStatus(desk, 401);
    expect(await statusWith(kiosk)).toBe(401);
  });
});

describe('A file that cannot be used', () => {
  it.each<[string, () => void, RegExp]>([
    ['is broken', () => file.write(desk.line.slice(0, 30)), /line 1 is not NAME/],
    ['is gone', () => rmSync(file.path), /ENOENT/],
    [
      'is a folder',
      () => {
        rmSync(file.path);
        mkdirSync(file.path);
      },
      /EISDIR/,
    ],
  ])('leaves the keys as they were, and is logged once: it %s', async (_, spoil, reason) => {
    await start();
    spoil();
    await untilLogged('The keys read before stay valid.');
    // One more look at the file, and half of another.
    await sleep(1_500);
    expect(log()).toMatch(reason);
    expect(log().match(/cannot be used/g)).toHaveLength(1);
    expect([await statusWith(desk), await statusWith(kiosk)]).toEqual([200, 200]);
    rmSync(file.path, { recursive: true, force: true });
    file.write(kiosk.line);
    await untilStatus(desk, 401);
  });

  it('is logged again where it becomes whole and breaks once more', async () => {
    await start();
    file.write('broken');
    await untilLogged('The keys read before stay valid.');
    file.write(desk.line, kiosk.line);
    await untilLogged('Reloaded');
    file.write('broken');
    await until(() => log().match(/cannot be used/g)?.length === 2);
  });

  it('stops the start', async () => {
    await start();
    for (const spoil of [() => file.write('a', desk.line, 'b'), () => rmSync(file.path)]) {
      spoil();
      await expect(startApp({ AUTH_API_KEYS_FILE: file.path })).rejects.toThrow(
        /cannot be used: (line 1 .*; line 3|ENOENT)/,
      );
    }
  });
});
