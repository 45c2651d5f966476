import { send } from 'testing/raw-http';
import { type RunningApp, startApp } from '../support/start-app.js';

const ORIGIN = 'https://app.example';
const OF_A_PHONE = 'capacitor://localhost';
const PREFLIGHT = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'idempotency-key' };

let running: RunningApp;
beforeAll(async () => (running = await startApp({ CORS_ORIGINS: `http://localhost:5173, ${ORIGIN}, ${OF_A_PHONE}` })));
afterAll(() => running.close());

const ask = (method: string, origin: string, url = running.url) =>
  send(url, { method, target: '/v1/bookings', headers: { origin, ...(method === 'OPTIONS' && PREFLIGHT) } });

describe('A page', () => {
  it.each([ORIGIN, OF_A_PHONE])(
    'of the listed origin %s may send any header, and read those of the response',
    async (origin) => {
      const { status, headers } = await ask('OPTIONS', origin);
      expect(status).toBe(204);
      expect(headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET,POST',
        'access-control-allow-headers': 'idempotency-key',
        allow: 'GET, HEAD, POST, OPTIONS',
      });
      const { headers: read } = await ask('GET', origin);
      expect(read['access-control-allow-origin']).toBe(origin);
      expect(read['access-control-expose-headers']).toMatch(/X-Request-Id.*Location.*ETag/);
      expect(read).not.toHaveProperty('access-control-allow-credentials');
    },
  );

  it.each(['https://app.example.evil.example', 'http://app.example', 'null', `${ORIGIN}:444`])(
    'of another origin may read nothing, even from a cache: %s',
    async (origin) => {
      for (const method of ['OPTIONS', 'GET']) {
        const { headers } = await ask(method, origin);
        expect(headers).not.toHaveProperty('access-control-allow-origin');
        expect(headers['vary']).toContain('Origin');
      }
    },
  );

  it('may read nothing where no origin is listed', async () => {
    const closed = await startApp();
    const { headers } = await ask('GET', ORIGIN, closed.url);
    await closed.close();
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });
});
