import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { untilClosed } from 'testing';
import { send } from 'testing/raw-http';
import { api } from '../support/api.js';
import { anApiKey, ApiKeysFile, bearer } from '../support/api-keys.js';
import { aResource, aSlot } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';
import { TestIssuer } from '../support/test-issuer.js';
import { until } from '../support/until.js';

type Line = Record<string, unknown>;

let running: RunningApp | undefined;

afterEach(async () => {
  await running?.close();
  running = undefined;
});

async function start(env: Record<string, string> = {}) {
  running = await startApp(env);
  return api(running.url);
}

const lines = (): Line[] => running!.logged.map((line) => JSON.parse(line) as Line);

/** The line of a response, by its request id. */
async function lineOf({ headers }: { headers: Record<string, unknown> }): Promise<Line | undefined> {
  const found = (): Line | undefined => lines().find((line) => line['request_id'] === headers['x-request-id']);
  await until(() => found() !== undefined).catch(() => {});
  return found();
}

describe('The line of a rejected request', () => {
  it('has the id that the caller received, and the reason', async () => {
    const service = await start();
    const slot = aSlot(aResource());
    await service.post('/v1/bookings').send({ slot }).expect(201);
    const taken = await service.post('/v1/bookings').send({ slot }).expect(409);
    expect(await lineOf(taken)).toEqual({
      level: 'notice',
      time: expect.any(String),
      request_id: taken.headers['x-request-id'],
      operation: 'createBooking',
      method: 'POST',
      route: '/v1/bookings',
      status: 409,
      outcome: 'rejected',
      duration_ms: expect.any(Number),
      problem: 'slot-taken',
      msg: 'Request rejected',
    });
  });

  it('has the pointers of the faults, and no value', async () => {
    const service = await start();
    const rejected = await service
      .post('/v1/bookings')
      .send({ slot: { resource_id: 7, start: 'c0ffee', end: 'c0ffee' } })
      .expect(422);
    const line = await lineOf(rejected);
    expect(line).toMatchObject({
      problem: 'invalid-booking',
      pointers: ['#/slot/resource_id', '#/slot/start', '#/slot/end'],
    });
    expect(JSON.stringify(line)).not.toContain('c0ffee');
  });

  it('has at most five pointers of at most 100 characters', async () => {
    const service = await start();
    const payload = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`${'n'.repeat(300)}${index}`, '\ud800']),
    );
    const rejected = await send(running!.url, {
      method: 'POST',
      target: '/v1/bookings',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(payload),
    });
    expect(rejected.status).toBe(422);
    const { pointers } = (await lineOf(rejected)) as { pointers: string[] };
    expect(pointers.length).toBeLessThanOrEqual(5);
    expect(Math.max(...pointers.map(({ length }) => length))).toBeLessThanOrEqual(100);
    await service.get('/health/live').expect(200);
  });

  it('is also written for bytes that are not an HTTP/1.1 request', async () => {
    await start();
    for (const [bytes, problem] of [
      ['GET / HTTP/1.1\r\nHost: a\r\nBroken\r\n\r\n', 'invalid-request'],
      ['GET /v1/bookings HTTP/1.1\r\n\r\n', 'invalid-request'],
      [`GET /v1/bookings HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 'headers-too-large'],
    ] as const) {
      const [, status, id] = /^HTTP\/1\.1 (\d+) .*^x-request-id: (\S+)/ims.exec(
        await untilClosed(running!.url, bytes),
      )!;
      const line = await lineOf({ headers: { 'x-request-id': id } });
      expect(line).toMatchObject({ outcome: 'rejected', status: Number(status), problem });
    }
  });

  it('names the API key of the caller, even if it lacks the scope', async () => {
    const key = anApiKey('front.desk', 'bookings:read');
    const file = new ApiKeysFile(key);
    const service = await start({ AUTH_API_KEYS_FILE: file.path });
    file.remove();
    const forbidden = await service.post('/v1/bookings').set('Authorization', bearer(key)).send({}).expect(403);
    expect(await lineOf(forbidden)).toMatchObject({
      problem: 'forbidden',
      caller: 'api-key front.desk',
      reason: 'The operation requires `bookings:write`. The API key has `bookings:read`.',
    });
    const missing = await service.get('/v1/bookings/none').set('Authorization', bearer(key)).expect(404);
    expect(await lineOf(missing)).toMatchObject({ problem: 'booking-not-found', caller: 'api-key front.desk' });
    const unknown = await service.get('/v1/bookings').set('Authorization', 'Bearer no-key').expect(401);
    const line = await lineOf(unknown);
    expect(line).toMatchObject({
      problem: 'unauthenticated',
      reason: expect.stringMatching(/unknown or has been revoked/),
    });
    expect(line).not.toHaveProperty('caller');
  });

  it('has a digest of the caller of an OIDC token, and why a token was rejected', async () => {
    const issuer = await TestIssuer.start();
    try {
      const service = await start(issuer.settings);
      const [good, old] = [await issuer.token({ sub: 'ada-c0ffee' }), await issuer.token({ exp: -100 })];
      const missing = await service.get('/v1/bookings/none').set('Authorization', `Bearer ${good}`).expect(404);
      const digest = createHash('sha256').update(`${issuer.url} ada-c0ffee`).digest('hex').slice(0, 16);
      expect(await lineOf(missing)).toMatchObject({ caller: `oidc ${digest}` });
      const expired = await service.get('/v1/bookings').set('Authorization', `Bearer ${old}`).expect(401);
      expect(await lineOf(expired)).toMatchObject({ reason: 'The token has expired.' });
      expect(running!.logged.join('')).not.toContain('c0ffee');
    } finally {
      await issuer.stop();
    }
  });
});

describe('The lines of rejected requests', () => {
  const reject = async (service: Awaited<ReturnType<typeof start>>, times: number): Promise<Line[]> => {
    for (let time = 0; time < times; time++) await service.get('/v1/bookings/none').expect(404);
    await service.get('/v1/bookings?limit=0').expect(400);
    // A line is written after the response was sent.
    await sleep(50);
    return lines().filter(({ problem }) => problem === 'booking-not-found');
  };

  it('are 20 for one problem in ten seconds; then one line counts the others, and other problems have theirs', async () => {
    const service = await start();
    expect(await reject(service, 33)).toHaveLength(20);
    expect(lines().filter(({ problem }) => problem === 'invalid-request')).toHaveLength(1);
    await running!.app.close();
    expect(lines()).toContainEqual(
      expect.objectContaining({ level: 'notice', msg: 'Lines left out', problem: 'booking-not-found', lines: 13 }),
    );
  });

  it('are all of them with LOG_REFUSALS=all', async () => {
    expect(await reject(await start({ LOG_REFUSALS: 'all' }), 33)).toHaveLength(33);
  });

  it('are none with LOG_REFUSALS=none', async () => {
    const service = await start({ LOG_REFUSALS: 'none' });
    await reject(service, 3);
    expect(lines()).toEqual([]);
  });
});

describe('The metrics', () => {
  it('count every problem by name, including those that have not happened yet', async () => {
    const service = await start();
    await service.get('/v1/bookings/none').expect(404);
    await service.get('/v1/bookings/none').expect(404);
    await service.get('/v1/bookings?limit=0').expect(400);
    await untilClosed(running!.url, 'GET / HTTP/1.1\r\nHost: a\r\nBroken\r\n\r\n');
    const { text } = await service.get('/metrics').expect(200);
    expect(text).toMatch(/^http_problems_total\{problem="booking-not-found"\} 2$/m);
    expect(text).toMatch(/^http_problems_total\{problem="invalid-request"\} 2$/m);
    expect(text).toMatch(/^http_problems_total\{problem="internal"\} 0$/m);
  });
});
