import { type RunningApp, startApp } from '../support/start-app.js';
import { aSigningKey, TestIssuer } from '../support/test-issuer.js';
import { until } from '../support/until.js';

const { jest } = import.meta;

const MINUTES = 60_000;
const HOUR = 60 * MINUTES;

const now = performance.now.bind(performance);
let ahead = 0;
let issuer: TestIssuer;
let running: RunningApp;

/** The wall clock alone, that of the issuer too, stands at another time. */
function setClock(by: number): void {
  const doNotFake = [
    ...(['performance', 'hrtime', 'nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
    ...(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const),
  ];
  jest.useFakeTimers({ now: Date.now() + by, doNotFake });
}

/** The time that has passed, whatever the wall clock shows. */
function later(milliseconds: number): void {
  ahead += milliseconds;
  jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
}

beforeEach(async () => {
  issuer = await TestIssuer.start();
});
afterEach(async () => {
  jest.useRealTimers();
  await running.close();
  await issuer.stop();
  jest.restoreAllMocks();
  ahead = 0;
});

async function statusWith(token: string): Promise<number> {
  return (await fetch(`${running.url}/v1/bookings`, { headers: { authorization: `Bearer ${token}` } })).status;
}

describe('A clock that is set', () => {
  it('back by an hour after a failed fetch does not stop the next one', async () => {
    issuer.instead = (response) => response.destroy();
    setClock(HOUR);
    running = await startApp(issuer.settings);
    expect(await statusWith(await issuer.token())).toBe(503);
    setClock(-HOUR);
    issuer.instead = undefined;
    later(2_000);
    expect(await statusWith(await issuer.token())).toBe(200);
  });

  it.each([
    ['back by an hour', -HOUR],
    ['forward by a day', 24 * HOUR],
  ])('%s does not change how long keys are known', async (_, by) => {
    running = await startApp(issuer.settings);
    expect(await statusWith(await issuer.token())).toBe(200);
    const [first] = issuer.published;
    setClock(by);
    issuer.instead = (response) => response.destroy();
    expect(await statusWith(await issuer.token())).toBe(200);
    issuer.instead = undefined;
    // An added key is looked for after 30 seconds, not before.
    const added = await aSigningKey('ES256');
    issuer.published = [added];
    expect(await statusWith(await issuer.token({}, {}, added))).toBe(401);
    later(1 * MINUTES);
    expect(await statusWith(await issuer.token({}, {}, added))).toBe(200);
    // A withdrawn key is forgotten after ten minutes.
    issuer.published = [first!];
    later(11 * MINUTES);
    await until(async () => (await statusWith(await issuer.token({}, {}, added))) === 401);
  });
});
