import { until } from 'testing';
import { anApiKey, ApiKeysFile } from '../support/api-keys.js';
import { type RunningApp, startApp } from '../support/start-app.js';
import { aSigningKey, TestIssuer } from '../support/test-issuer.js';

const { jest } = import.meta;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let issuer: TestIssuer;
let running: RunningApp | undefined;

beforeEach(async () => {
  // The fake clock is for the fetch in the background alone.
  jest.useFakeTimers({ now: Date.now(), doNotFake: realTimers });
  issuer = await TestIssuer.start();
});
afterEach(async () => {
  jest.useRealTimers();
  await running?.close();
  running = undefined;
  jest.restoreAllMocks();
  await issuer.stop();
});

const realTimers = [
  ...(['Date', 'performance', 'hrtime', 'nextTick', 'queueMicrotask'] as const),
  ...(['setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] as const),
];

async function start(env: Record<string, string> = {}): Promise<void> {
  running = await startApp({ ...issuer.settings, ...env });
}

async function listWith(token: string): Promise<Response> {
  return fetch(`${running!.url}/v1/bookings`, { headers: { authorization: `Bearer ${token}` } });
}

const statusWith = async (token: string): Promise<number> => (await listWith(token)).status;
const readiness = async (): Promise<number> => (await fetch(`${running!.url}/health/ready`)).status;
const issuerUp = async (): Promise<string | undefined> => /^issuer_up (\d)$/m.exec(await running!.metrics())?.[1];
const log = (): string => running!.logged.join('');
const fetches = (): number => issuer.requested.filter((path) => path === issuer.keysPath).length;

const { now } = Date;

/** Ends the pause after a failed fetch. */
function endPause(): void {
  const elapsed = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => elapsed() + MINUTE);
}

/** Ages keys, for which `jose` reads `Date.now()`; tokens expire by `new Date()`. */
function later(milliseconds: number): void {
  jest.spyOn(Date, 'now').mockImplementation(() => now() + milliseconds);
}

describe('The keys of the issuer', () => {
  it('are fetched once at the start, however many requests come', async () => {
    await start();
    const token = await issuer.token();
    expect(await Promise.all(Array.from({ length: 20 }, () => statusWith(token)))).toEqual(Array(20).fill(200));
    expect(issuer.requested).toEqual(['/.well-known/openid-configuration', '/jwks']);
  });

  it('are fetched from AUTH_OIDC_JWKS_URI without a request for the metadata', async () => {
    await start({ AUTH_OIDC_JWKS_URI: `${issuer.url}/jwks` });
    expect(await statusWith(await issuer.token())).toBe(200);
    expect(issuer.requested).toEqual(['/jwks']);
  });

  it('are fetched again for unknown keys, at most twice a minute, even if their URL has changed', async () => {
    await start();
    expect(await statusWith(await issuer.token())).toBe(200);
    const added = await aSigningKey();
    issuer.published.push(added);
    issuer.keysPath = '/moved';
    for (let round = 0; round < 10; round++) expect(await statusWith(await issuer.token({}, {}, added))).toBe(401);
    later(MINUTE);
    expect(await statusWith(await issuer.token({}, {}, added))).toBe(200);
    const stranger = await aSigningKey();
    for (let round = 0; round < 10; round++) expect(await statusWith(await issuer.token({}, {}, stranger))).toBe(401);
    expect(fetches()).toBe(1);
  });

  it('are rejected ten minutes after they were withdrawn', async () => {
    await start();
    const withdrawn = await issuer.token();
    expect(await statusWith(withdrawn)).toBe(200);
    issuer.published = [await aSigningKey()];
    jest.advanceTimersByTime(10 * MINUTE);
    await until(async () => (await statusWith(withdrawn)) === 401);
    expect(await statusWith(await issuer.token())).toBe(200);
  });

  it('stay in use for a day while the issuer has none; then requests and readiness are 503', async () => {
    await start();
    const token = await issuer.token();
    expect(await statusWith(token)).toBe(200);
    expect(await issuerUp()).toBe('1');
    issuer.published = [];
    jest.advanceTimersByTime(10 * MINUTE);
    await until(() => log().includes('cannot be fetched'));
    expect(await issuerUp()).toBe('0');
    expect(await readiness()).toBe(200);
    later(23 * HOUR);
    expect(await statusWith(token)).toBe(200);
    later(25 * HOUR);
    expect(await statusWith(token)).toBe(503);
    await until(async () => (await readiness()) === 503);
    expect(log()).toContain('"dependency":"issuer"');
  });

  it('are fetched again within seconds after a failed fetch', async () => {
    await start();
    const { published } = issuer;
    issuer.published = [];
    jest.advanceTimersByTime(10 * MINUTE);
    await until(async () => (await issuerUp()) === '0');
    issuer.published = published;
    endPause();
    jest.advanceTimersByTime(10_000);
    await until(async () => (await issuerUp()) === '1');
  });

  it('that are unusable reject only the tokens that name them', async () => {
    const good = await aSigningKey();
    const unusable = await aSigningKey('RS256');
    issuer.published = [good, { ...unusable, jwk: { ...unusable.jwk, n: '*' } }];
    await start();
    const response = await listWith(await issuer.token({}, {}, unusable));
    expect([response.status, await response.text()]).toEqual([401, expect.stringContaining('cannot use')]);
    expect(await statusWith(await issuer.token({}, {}, good))).toBe(200);
  });
});

describe('An issuer that is unavailable', () => {
  it.each<[string, () => void]>([
    ['redirects', () => (issuer.instead = (response) => response.writeHead(302, { location: '/jwks' }).end())],
    ['responds with HTML', () => (issuer.instead = (response) => response.end('<html>'))],
    ['never responds', () => (issuer.instead = () => {})],
    ['has the metadata of another issuer', () => (issuer.metadata = { issuer: 'https://other.example' })],
    ['names a `jwks_uri` without TLS', () => (issuer.metadata = { jwks_uri: 'http://a.example/jwks' })],
  ])('makes the response 503 until it is back: it %s', async (_, breakIt) => {
    breakIt();
    await start();
    const token = await issuer.token();
    const response = await listWith(token);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(((await response.json()) as { detail: string }).detail).not.toMatch(/127\.0\.0\.1|http/);
    expect(log()).toContain(`The keys of ${issuer.url} cannot be fetched`);
    expect((await fetch(`${running!.url}/v1/bookings`)).status).toBe(401);
    issuer.instead = undefined;
    issuer.metadata = {};
    endPause();
    await until(async () => (await statusWith(token)) === 200);
    expect(log()).toContain(`The keys of ${issuer.url} are fetched again.`);
  });

  it('gets no request for a second after a failure, however many requests come', async () => {
    issuer.instead = (response) => response.writeHead(500).end();
    await start();
    jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    const token = await issuer.token();
    expect(await statusWith(token)).toBe(503);
    expect(await Promise.all(Array.from({ length: 20 }, () => statusWith(token)))).toEqual(Array(20).fill(503));
    jest.restoreAllMocks();
    expect(issuer.requested).toHaveLength(1);
  });

  it('makes the service not ready until its keys are there, unless API keys are accepted too', async () => {
    jest.useRealTimers();
    issuer.instead = (response) => response.writeHead(500).end();
    const file = new ApiKeysFile(anApiKey('desk'));
    await start({ AUTH_API_KEYS_FILE: file.path });
    expect(await readiness()).toBe(200);
    expect(await issuerUp()).toBe('0');
    await running!.close();
    await start();
    expect(await readiness()).toBe(503);
    issuer.instead = undefined;
    endPause();
    await until(async () => (await readiness()) === 200);
    expect(log()).toMatch(/"dependency":"issuer".*"Not ready"[^]*"dependency":"issuer".*"Ready again"/);
  });
});
