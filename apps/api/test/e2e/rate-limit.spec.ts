import { setTimeout as sleep } from 'node:timers/promises';
import { exchange, send } from 'testing/raw-http';
import { networkOf, RateLimitGuard } from '../../src/rate-limit/rate-limit.guard.js';
import { anApiKey, ApiKeysFile } from '../support/api-keys.js';
import { api } from '../support/api.js';
import { aProblem } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp[] = [];

beforeEach(() => {
  running = [];
});
afterEach(async () => void (await Promise.all(running.map((app) => app.close()))));

async function start(env: Record<string, string>): Promise<ReturnType<typeof api>> {
  const app = await startApp(env);
  running.push(app);
  return api(app.url);
}

describe('Without a limit', () => {
  it('nothing is counted, and no header says so', async () => {
    const service = await start({});
    const { headers } = await service.get('/v1/bookings').expect(200);
    expect(headers).not.toHaveProperty('ratelimit');
    expect(headers).not.toHaveProperty('ratelimit-policy');
    expect((await service.get('/metrics')).text).not.toContain('rate_limit');
  });
});

describe('With a limit', () => {
  it('every response says what is left, and the one beyond it when to retry', async () => {
    const service = await start({ RATE_LIMIT: '3', RATE_LIMIT_WINDOW_SECONDS: '600' });
    const responses = [
      await service.get('/v1/bookings').expect(200),
      await service.post('/v1/bookings').send({}).expect(201),
      await service.get('/v1/bookings/none').expect(404),
      await service.get('/v1/bookings').expect(429),
    ];
    expect(responses.map(({ headers }) => headers['ratelimit-policy'])).toEqual(Array(4).fill('"caller";q=3;w=600'));
    expect(
      responses.map(({ headers }) => /^"caller";r=(\d);t=(?:600|5\d\d)$/.exec(headers['ratelimit']!)?.[1]),
    ).toEqual(['2', '1', '0', '0']);
    const { body, headers } = responses[3]!;
    expect(body).toMatchObject(aProblem('rate-limited'));
    expect(Number(headers['retry-after'])).toBeGreaterThan(500);
  });

  it('a create beyond it is rejected before its body arrives, and keeps nothing', async () => {
    const service = await start({ RATE_LIMIT: '2', RATE_LIMIT_WINDOW_SECONDS: '2' });
    await service.get('/v1/bookings').expect(200);
    await service.get('/v1/bookings').expect(200);
    const head = 'POST /v1/bookings HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n';
    const { status, headers } = await exchange(running[0]!.url, head);
    expect(status).toBe(429);
    await sleep(Number(headers['retry-after']) * 1_000 + 100);
    expect((await service.get('/v1/bookings').expect(200)).body).toMatchObject({ bookings: [] });
  });

  it.each(['/v1', '/v1/', '/v1/nothing', '/v1/bookings/', '/v1/bookings/a/b', '/v1/bookings/%ff', '/v1/%c3%28/x'])(
    'a request to %s is counted as well, although there is nothing',
    async (target) => {
      const service = await start({ RATE_LIMIT: '2' });
      for (const status of [target.includes('%') ? 400 : 404, target.includes('%') ? 400 : 404, 429, 429]) {
        const response = await send(running[0]!.url, { method: 'GET', target });
        expect([response.status, response.headers['ratelimit-policy']]).toEqual([status, '"caller";q=2;w=60']);
      }
      await service.get('/v1/bookings').expect(429);
    },
  );

  it('the pages outside /v1 are open to all', async () => {
    const service = await start({ RATE_LIMIT: '1' });
    for (let count = 0; count < 3; count++) await service.get('/health/live').expect(200);
    await service.get('/metrics').expect(200);
    await service.get('/v1/bookings').expect(200);
    await service.get('/v1/bookings').expect(429);
  });
});

describe('A clock that is set', () => {
  const { now } = Date;
  afterEach(() => {
    Date.now = now;
  });

  it.each([
    ['back by an hour', -3_600_000],
    ['forward by a day', 86_400_000],
  ])('%s leaves the windows of callers as they are', async (_what, shift) => {
    const service = await start({ RATE_LIMIT: '2', RATE_LIMIT_WINDOW_SECONDS: '2' });
    for (const status of [200, 200, 429]) await service.get('/v1/bookings').expect(status);
    Date.now = () => now() + shift;
    const { headers } = await service.get('/v1/bookings').expect(429);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(2);
    await sleep(2_100);
    await service.get('/v1/bookings').expect(200);
  });
});

it('Windows of 100,000 callers are kept, and the oldest is forgotten for another one', () => {
  const guard = new RateLimitGuard({ requests: 1, window: 60 });
  const callers = Array.from({ length: 100_001 }, (_, index) => `caller ${index}`);
  const requestsOf = (caller: string): number => guard.count(caller).requests;
  for (const caller of callers.slice(0, 100_000)) requestsOf(caller);
  expect(requestsOf(callers[0]!)).toBe(2);
  requestsOf(callers[100_000]!);
  expect([requestsOf(callers[1]!), requestsOf(callers[0]!)]).toEqual([2, 1]);
});

describe('Who is counted', () => {
  const from = async (service: ReturnType<typeof api>, addresses: string): Promise<number> =>
    (await service.get('/v1/bookings').set('X-Forwarded-For', addresses)).status;

  it('is the address of the connection: X-Forwarded-For is not believed', async () => {
    const service = await start({ RATE_LIMIT: '1' });
    expect(await from(service, '192.0.2.1')).toBe(200);
    expect(await from(service, '192.0.2.2')).toBe(429);
  });

  it('is the address that the outermost trusted proxy saw, whatever the caller put before it', async () => {
    const service = await start({ RATE_LIMIT: '1', TRUST_PROXY: '1' });
    expect(await from(service, '192.0.2.1')).toBe(200);
    expect(await from(service, '192.0.2.2')).toBe(200);
    expect(await from(service, '198.51.100.9, 192.0.2.1')).toBe(429);
  });

  it('is the address without the port that some proxies write behind it', async () => {
    const service = await start({ RATE_LIMIT: '1', TRUST_PROXY: '1' });
    expect(await from(service, '192.0.2.1:4711')).toBe(200);
    expect(await from(service, '192.0.2.1:4712')).toBe(429);
    expect(await from(service, '192.0.2.1')).toBe(429);
    expect(await from(service, '[2001:db8::1]:4711')).toBe(200);
    expect(await from(service, '[2001:db8::2]:4711')).toBe(429);
  });

  it('is that of the proxy where it gives no address', async () => {
    const service = await start({ RATE_LIMIT: '1', TRUST_PROXY: '1' });
    expect(await from(service, '_hidden-1')).toBe(200);
    expect(await from(service, '_hidden-2')).toBe(429);
  });

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:4711', '192.0.2.1'],
    ['[::ffff:192.0.2.1]:4711', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
    ['[2001:db8:1:2:3:4:5:6]:4711', '2001:db8:1:2::'],
    ['[2001:db8:1:2:9::]', '2001:db8:1:2::'],
    ['2001:DB8::6', '2001:db8::'],
    ['1::2:3:4:5:6:7', '1:0:2:3::'],
    ['fe80::1:2%eth0', 'fe80::'],
    ['::1', '::'],
    ['unknown', undefined],
    ['_hidden-7', undefined],
    ['', undefined],
    ['192.0.2', undefined],
    ['192.0.2.256', undefined],
    ['[192.0.2.1', undefined],
    ['192.0.2.1:port', undefined],
  ])('is the network of an address: %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('A rate limit of a service that requires tokens', () => {
  it('is that of the caller, not of the address, and counts no request without a valid token', async () => {
    const [desk, kiosk] = [anApiKey('desk'), anApiKey('kiosk')];
    const file = new ApiKeysFile(desk, kiosk);
    const running = await startApp({ RATE_LIMIT: '1', AUTH_API_KEYS_FILE: file.path });
    const statusWith = async (token: string): Promise<number> =>
      (await fetch(`${running.url}/v1/bookings`, { headers: { authorization: `Bearer ${token}` } })).status;
    try {
      const tokens = ['bad', desk.token, kiosk.token, 'bad', desk.token];
      const statuses: number[] = [];
      for (const token of tokens) statuses.push(await statusWith(token));
      expect(statuses).toEqual([401, 200, 200, 401, 429]);
    } finally {
      await running.close();
      file.remove();
    }
  });
});
