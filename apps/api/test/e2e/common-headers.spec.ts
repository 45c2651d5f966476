import { createHash } from 'node:crypto';
import { type Api, api } from '../support/api.js';
import { create } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;
let service: Api;

beforeAll(async () => {
  running = await startApp();
  service = api(running.url);
});
afterAll(() => running.close());

const COMMON = {
  'cache-control': 'private, no-cache',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

describe('Every response', () => {
  it.each([
    ['get', '/v1/bookings', 200],
    ['head', '/v1/bookings', 200],
    ['post', '/v1/bookings', 201],
    ['options', '/v1/bookings', 204],
    ['delete', '/v1/bookings', 405],
    ['get', '/v1/bookings/none', 404],
    ['get', '/nothing', 404],
    ['get', '/openapi.json', 200],
    ['get', '/health/live', 200],
    ['get', '/metrics', 200],
    ['get', '/timetable/nothing', 404],
  ] as const)(
    'is kept from shared caches, pages of other origins and from being opened as a page: %s %s',
    async (method, path, status) => {
      const { headers } = await service[method](path).expect(status);
      expect(headers).toMatchObject({
        ...COMMON,
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      });
      expect(headers).not.toHaveProperty('x-powered-by');
    },
  );

  it('says so also where it is 304', async () => {
    const { booking_id } = await create(service);
    const { headers } = await service
      .get(`/v1/bookings/${booking_id}`)
      .set('If-None-Match', `"${booking_id}"`)
      .expect(304);
    expect(headers['cache-control']).toBe('private, no-cache');
  });
});

it.each(['/docs', '/timetable'])(
  'The page %s shares its window with no other origin and uses no device',
  async (path) => {
    const { headers } = await service.get(path).expect(200);
    expect(headers).toMatchObject({
      ...COMMON,
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    });
  },
);

describe('The page of Swagger UI', () => {
  it('may run the scripts of this service, and none within the page', async () => {
    const { headers, text } = await service.get('/docs').expect(200);
    const policy = headers['content-security-policy']!;
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self' 'sha256-");
    expect(policy).not.toMatch(/unsafe-(?:inline|eval)/);
    expect(text).not.toMatch(/<script>|\son\w+=/);
    // Styles within the page are those that were looked at: a policy made of the page would allow any.
    const hashOf = (style: string) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
    const hashes = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, style]) => hashOf(style!)).join(' ');
    expect(policy).toContain(`style-src 'self' ${hashes(/<style>([^]*?)<\/style>/g)};`);
    expect(policy).toContain(`style-src-attr 'unsafe-hashes' ${hashes(/\sstyle="([^"]*)"/g)};`);
  });

  it('serves its own files only, to this origin only', async () => {
    const { headers } = await service.get('/docs/swagger-ui.css').expect(200);
    expect(headers).toMatchObject({ 'cross-origin-resource-policy': 'same-origin', 'referrer-policy': 'no-referrer' });
    await service.get('/docs/package.json').expect(404);
    await service.get('/docs/..%2Fpackage.json').expect(404);
  });
});
