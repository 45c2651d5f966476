import { readFileSync } from 'node:fs';
import { operations, pageExample } from '@booking-service/contracts';
import { send } from 'testing/raw-http';
import { fromCursor } from '../../src/bookings/domain/cursor.js';
import type { TokenPolicy } from '../../src/features/openapi/json-schemas.js';
import { openApiDocument } from '../../src/features/openapi/openapi-document.js';
import { type Api, api } from '../support/api.js';
import { aProblem } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

const committed = new URL('../../../../packages/contracts/openapi.json', import.meta.url);

let running: RunningApp;
let service: Api;

beforeAll(async () => {
  running = await startApp({ TIMETABLE_RESOURCES: 'room-1, "</head><script>, söme & any' });
  service = api(running.url);
});
afterAll(() => running.close());

describe.each([
  ['/docs', "style-src 'self' 'unsafe-inline';"],
  ['/timetable', "style-src 'self';"],
])('The page %s', (page, styles) => {
  it('is labelled preview, with read-only files at relative addresses', async () => {
    const { text } = await service.get(page).expect(200);
    expect(text).toMatch(/<title>[^<]*preview[^<]*<\/title>/i);
    const files = [...text.matchAll(/(?:src|href)=["']?([^"' >]+\.\w+)/g)].map(([, file]) => file!);
    expect(files.length).toBeGreaterThanOrEqual(3);
    for (const file of files) {
      // A proxy in front removes the prefix.
      const [, path] = /^\/prefix(\/.+)$/.exec(new URL(file, `${running.url}/prefix${page}`).pathname)!;
      expect(path).toMatch(`${page}/`);
      const get = service.get(path!).set({ 'If-Match': '"other"', Range: 'bytes=99999999-' });
      await get.expect(200).expect('Cache-Control', 'private, no-cache');
      await service.options(path!).expect(204).expect('Allow', 'GET, HEAD, OPTIONS');
      const { body } = await service.post(path!).send({}).expect(405);
      expect(body).toMatchObject(aProblem('method-not-allowed'));
    }
  });

  it('runs scripts of this service alone, and shares its window with no other origin', async () => {
    const { headers, text } = await service.get(page).expect(200);
    expect(text).not.toMatch(/<script(?![^>]* src=)|\son\w+=/);
    const policy = headers['content-security-policy'];
    expect(policy).toContain(`default-src 'none'; script-src 'self'; ${styles}`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
      'referrer-policy': 'no-referrer',
    });
  });

  it.each(['/nothing', '/..%2Fpackage.json', '/%2e', '//', '/index.html', '/constructor'])(
    'has nothing at %s',
    async (target) => {
      const { status, text } = await send(running.url, { target: page + target });
      expect(status).toBe(404);
      expect(JSON.parse(text)).toMatchObject(aProblem('route-not-found'));
    },
  );
});

it.each(['/docs', '/openapi.json', '/timetable', '/health/live', '/health/ready', '/metrics'])(
  '%s accepts GET, HEAD and OPTIONS, and is not stored by caches that are shared',
  async (page) => {
    await service.get(page).expect(200).expect('Cache-Control', 'private, no-cache');
    const { text } = await service.head(page).expect(200);
    expect(text ?? '').toBe('');
    await service.options(page).expect(204).expect('Allow', 'GET, HEAD, OPTIONS');
    for (const request of [service.post(page), service.delete(page)]) {
      const { body } = await request.expect(405).expect('Allow', 'GET, HEAD, OPTIONS');
      expect(body).toMatchObject(aProblem('method-not-allowed'));
    }
  },
);

it('/ redirects a browser, and nothing else, to the timetable by a relative address', async () => {
  const html = await service.get('/').set('Accept', 'text/html,application/xhtml+xml,*/*;q=0.8').redirects(0);
  expect([html.status, html.headers['vary']]).toEqual([302, 'Accept']);
  const { pathname } = new URL(html.headers['location']!, 'https://a.example/prefix/');
  expect(pathname).toBe('/prefix/timetable');
  for (const accept of ['*/*', 'application/json, text/html']) {
    const { body } = await service.get('/').set('Accept', accept).expect(404);
    expect(body).toMatchObject(aProblem('route-not-found'));
  }
});

it('/docs/ redirects to /docs by a relative address, without content', async () => {
  const { headers } = await service.get('/docs/').redirects(0).expect(308).expect('Content-Length', '0');
  expect(new URL(headers['location']!, 'https://a.example/prefix/docs/').pathname).toBe('/prefix/docs');
});

it('Both pages can be turned off: the document stays', async () => {
  const without = await startApp({ SWAGGER_UI: 'false', TIMETABLE: 'false' });
  const other = api(without.url);
  const paths = ['/docs', '/docs/swagger-ui-init.js', '/timetable', '/timetable/timetable.js', '/'];
  for (const path of paths) await other.get(path).set('Accept', 'text/html').expect(404);
  await other.get('/openapi.json').expect(200);
  await without.close();
});

const get = (path: string, headers: Record<string, string>): Promise<Response> =>
  fetch(running.url + path, { headers });

describe('The timetable', () => {
  it('has the configured resources as text', async () => {
    const page = await (await get('/timetable', {})).text();
    expect(page).toContain('content="room-1,&quot;&lt;/head>&lt;script>,söme &amp; any"');
  });

  describe.each(['/timetable', '/timetable/timetable.js'])('at %s', (path) => {
    it.each([
      ['gzip, deflate, br, zstd', 'br'],
      ['br;q=0, gzip;q=0.1', 'gzip'],
      ['deflate', 'identity'],
      ['*;q=0', 'identity'],
    ])('is sent to a client that accepts "%s" as %s, and not again while it is unchanged', async (accepted, coding) => {
      const response = await get(path, { 'accept-encoding': accepted });
      expect(response.headers.get('content-encoding') ?? 'identity').toBe(coding);
      expect(response.headers.get('vary')).toBe('Accept-Encoding');
      expect(await response.text()).toBe(await (await get(path, { 'accept-encoding': 'identity' })).text());
      const known = { 'if-none-match': response.headers.get('etag')! };
      expect((await get(path, { 'accept-encoding': accepted, ...known })).status).toBe(304);
      const another = coding === 'identity' ? 'br' : 'identity';
      expect((await get(path, { 'accept-encoding': another, ...known })).status).toBe(200);
    });
  });
});

interface Document {
  paths: Record<string, Record<string, { security?: object[]; responses: object }>>;
  components: { securitySchemes?: object };
}

const document = (tokens: TokenPolicy) => JSON.parse(JSON.stringify(openApiDocument(tokens))) as Document;

describe('The OpenAPI document', () => {
  it('is at /openapi.json, for this deployment', async () => {
    const { body, headers } = await service.get('/openapi.json').expect(200);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(body).toEqual(document('none'));
  });

  it('is committed for a service that may require tokens: run `pnpm openapi` after a change', () => {
    expect(JSON.parse(readFileSync(committed, 'utf8'))).toEqual(document('optional'));
  });

  it.each([
    ['none', () => undefined, ''],
    ['optional', (scope: string) => [{}, { bearer: [scope] }], '401 403'],
    ['required', (scope: string) => [{ bearer: [scope] }], '401 403'],
  ] as const)('says what the service does with tokens: %s', (tokens, securityFor, statuses) => {
    const { paths, components } = document(tokens);
    for (const { path, method, scope } of Object.values(operations)) {
      const { security, responses } = paths[path]![method.toLowerCase()]!;
      expect(security).toEqual(securityFor(scope));
      const described = Object.keys(responses).filter((status) => ['401', '403'].includes(status));
      expect(described.join(' ')).toBe(statuses);
    }
    expect(Object.keys(components.securitySchemes ?? {})).toEqual(tokens === 'none' ? [] : ['bearer']);
  });

  it('has the paths and methods that the service serves', async () => {
    const routes = Object.entries(document('none').paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ path, method: method as 'get' | 'post' })),
    );
    for (const { path, method } of routes) {
      const { body } = await service[method](path.replace('{booking_id}', 'none'));
      const { type } = body as { type?: string };
      expect({ path, method, type }).not.toHaveProperty(
        'type',
        expect.stringMatching(/route-not-found|method-not-allowed/),
      );
    }
    expect(routes).toHaveLength(Object.keys(operations).length);
  });

  it('has an example of a cursor that the service accepts', () => {
    expect(fromCursor(pageExample.next_cursor, { sort: '-created_at' })).toBeDefined();
  });
});
