import { exchange, head } from 'testing/raw-http';
import { networkOf, RateLimitGuard } from '../../src/features/rate-limit/rate-limit.guard.js';
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

describe('With a limit,', () => {
  it('every response says how many requests are left, and a 429 when to retry', async () => {
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

  it('a create beyond it is rejected before its body arrives', async () => {
    await (await start({ RATE_LIMIT: '1' })).get('/v1/bookings').expect(200);
    const create = head('POST /v1/bookings', 'Content-Type: application/json', 'Content-Length: 9');
    expect((await exchange(running[0]!.url, create)).status).toBe(429);
  });

  it('a path of /v1 that does not exist is counted', async () => {
    const service = await start({ RATE_LIMIT: '1' });
    await service.get('/v1/nothing').expect(404);
    await service.get('/v1/bookings').expect(429);
  });

  it('a preflight, which has no token, does not count towards the limit of an address', async () => {
    const service = await start({ RATE_LIMIT: '1', CORS_ORIGINS: 'https://app.example' });
    const preflight = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'POST' };
    for (let count = 0; count < 3; count++) await service.options('/v1/bookings').set(preflight).expect(204);
    await service.get('/v1/bookings').expect(200);
  });

  it('the pages outside /v1 are open to all', async () => {
    const service = await start({ RATE_LIMIT: '1' });
    for (let count = 0; count < 3; count++) await service.get('/health/live').expect(200);
    await service.get('/metrics').expect(200);
    await service.get('/v1/bookings').expect(200);
    await service.get('/v1/bookings').expect(429);
  });
});

it('Windows of 100,000 callers are kept, and the oldest is forgotten for another one', () => {
  const guard = new RateLimitGuard({ limit: 1, seconds: 60 });
  const callers = Array.from({ length: 100_001 }, (_, index) => `caller ${index}`);
  const requestsOf = (caller: string): number => guard.count(caller).requests;
  for (const caller of callers.slice(0, 100_000)) requestsOf(caller);
  expect(requestsOf(callers[0]!)).toBe(2);
  requestsOf(callers[100_000]!);
  expect([requestsOf(callers[1]!), requestsOf(callers[0]!)]).toEqual([2, 1]);
});

describe('Who is counted', () => {
  it.each<[string, Record<string, string>, string, string, 200 | 429]>([
    ['is the address of the connection', {}, '192.0.2.1', '192.0.2.2', 429],
    ['is the address that the trusted proxy saw', { TRUST_PROXY: '1' }, '192.0.2.1', '192.0.2.2', 200],
    [
      'is this address, whatever the caller put before it',
      { TRUST_PROXY: '1' },
      '192.0.2.1',
      '198.51.100.9, 192.0.2.1',
      429,
    ],
    ['is the proxy if it names no address', { TRUST_PROXY: '1' }, '_hidden-1', '_hidden-2', 429],
  ])('%s', async (_, env, first, second, status) => {
    const service = await start({ RATE_LIMIT: '1', ...env });
    await service.get('/v1/bookings').set('X-Forwarded-For', first).expect(200);
    await service.get('/v1/bookings').set('X-Forwarded-For', second).expect(status);
  });

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['[::ffff:192.0.2.1]:4711', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
    ['[2001:db8:1:2:3:4:5:6]:4711', '2001:db8:1:2::'],
    ['1::2:3:4:5:6:7', '1:0:2:3::'],
    ['fe80::1:2%eth0', 'fe80::'],
    ['::1', '::'],
    ['unknown', undefined],
    ['192.0.2.256', undefined],
    ['192.0.2.1:port', undefined],
  ])('is the network of an address: %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

it('With tokens, each caller has a limit of its own, and requests without a valid token do not count', async () => {
  const desk = anApiKey('desk');
  const kiosk = anApiKey('kiosk');
  const file = new ApiKeysFile(desk, kiosk);
  const service = await start({ RATE_LIMIT: '1', AUTH_API_KEYS_FILE: file.path });
  const requests: [string, number][] = [
    ['bad', 401],
    [desk.token, 200],
    [kiosk.token, 200],
    ['bad', 401],
    [desk.token, 429],
  ];
  for (const [token, status] of requests) {
    await service.get('/v1/bookings').auth(token, { type: 'bearer' }).expect(status);
  }
});
