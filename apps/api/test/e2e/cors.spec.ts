import type { ReceivedResponse } from 'testing/contract';
import { send } from 'testing/raw-http';
import { anApiKey, ApiKeysFile } from '../support/api-keys.js';
import { type RunningApp, startApp } from '../support/start-app.js';

const ORIGIN = 'https://app.example';
const key = anApiKey('page');

let file: ApiKeysFile;
let running: RunningApp;

beforeAll(async () => {
  file = new ApiKeysFile(key);
  running = await startApp({ AUTH_API_KEYS_FILE: file.path, CORS_ORIGINS: `http://localhost:5173, ${ORIGIN}` });
});
afterAll(async () => {
  await running.close();
  file.remove();
});

const bearer = { authorization: `Bearer ${key.token}` };

/** What a browser asks before it sends what a page wants. */
const preflight = (target: string, origin: string, method: string): Promise<ReceivedResponse> =>
  send(running.url, {
    method: 'OPTIONS',
    target,
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type,idempotency-key,traceparent',
    },
  });

const corsHeaders = ({ headers }: ReceivedResponse): string[] =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));

describe('A page of an origin that is listed', () => {
  it.each([
    ['/v1/bookings', 'POST'],
    ['/v1/bookings/an-id', 'GET'],
  ])('learns without a token that it may use %s', async (target, method) => {
    const { status, headers } = await preflight(target, ORIGIN, method);
    expect(status).toBe(204);
    expect(headers['access-control-allow-origin']).toBe(ORIGIN);
    expect(headers['access-control-allow-methods']!.split(',')).toContain(method);
    expect(headers['access-control-allow-headers']).toBe('authorization,content-type,idempotency-key,traceparent');
    expect(headers['access-control-max-age']).toBe('600');
    expect(headers['vary']).toContain('Origin');
    expect(headers['x-request-id']).toBeDefined();
  });

  it('may read the response, and all of its headers that say something', async () => {
    const response = await send(running.url, { target: '/v1/bookings', headers: { origin: ORIGIN, ...bearer } });
    expect(response.status).toBe(200);
    expect(response.headers['access-control-allow-origin']).toBe(ORIGIN);
    expect(response.headers['access-control-expose-headers']!.split(',')).toEqual(
      expect.arrayContaining([
        'ETag',
        'Idempotent-Replayed',
        'Link',
        'Location',
        'Retry-After',
        'WWW-Authenticate',
        'X-Request-Id',
      ]),
    );
  });

  it.each([
    ['a rejection', '/v1/bookings', {}, 401],
    ['a bad request', '/v1/bookings?limit=0', bearer, 400],
    ['nothing', '/v1/nothing', bearer, 404],
  ])('may read %s too', async (_, target, headers, status) => {
    const response = await send(running.url, { target, headers: { origin: ORIGIN, ...headers } });
    expect(response.status).toBe(status);
    expect(response.headers['access-control-allow-origin']).toBe(ORIGIN);
  });

  it('is not authenticated by credentials that a browser adds', async () => {
    const responses = [await preflight('/v1/bookings', ORIGIN, 'GET')];
    responses.push(await send(running.url, { target: '/v1/bookings', headers: { origin: ORIGIN, cookie: 'a=b' } }));
    for (const { headers } of responses) expect(headers).not.toHaveProperty('access-control-allow-credentials');
    expect(responses[1]!.status).toBe(401);
  });
});

describe('A page of another origin', () => {
  it.each(['https://evil.example', 'https://app.example.evil.example', 'http://app.example', 'null', `${ORIGIN}:444`])(
    'gets no CORS header: %s',
    async (origin) => {
      const responses = [await preflight('/v1/bookings', origin, 'POST')];
      responses.push(await send(running.url, { target: '/v1/bookings', headers: { origin, ...bearer } }));
      for (const { headers } of responses) {
        expect(headers).not.toHaveProperty('access-control-allow-origin');
        // A cache must not serve it the response to another origin.
        expect(headers['vary']).toContain('Origin');
      }
    },
  );
});

describe('Without the setting', () => {
  it('no page of another origin gets a CORS header', async () => {
    const closed = await startApp();
    try {
      const headers = { origin: ORIGIN, 'access-control-request-method': 'POST' };
      for (const method of ['OPTIONS', 'GET']) {
        const response = await send(closed.url, { method, target: '/v1/bookings', headers });
        expect(corsHeaders(response)).toEqual([]);
        expect(response.headers).not.toHaveProperty('vary');
      }
    } finally {
      await closed.close();
    }
  });
});

describe('A plain OPTIONS', () => {
  it('says what the path takes, as ever', async () => {
    const { status, headers } = await send(running.url, { method: 'OPTIONS', target: '/v1/bookings' });
    expect(status).toBe(204);
    expect(headers['allow']).toBe('GET, HEAD, POST, OPTIONS');
  });
});
