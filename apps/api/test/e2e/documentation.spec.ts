import { send } from 'testing/raw-http';
import { openApiDocument } from '../../src/openapi/openapi-document.js';
import { type Api, api } from '../support/api.js';
import { aProblem } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;
let service: Api;

beforeAll(async () => {
  running = await startApp();
  service = api(running.url);
});
afterAll(() => running.close());

describe('The documentation', () => {
  it('has the document of this deployment at /openapi.json', async () => {
    const { body, headers } = await service.get('/openapi.json').expect(200);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(body).toEqual(JSON.parse(JSON.stringify(openApiDocument(running.app, 'none'))));
  });

  it('has Swagger UI at /docs, labelled preview, with all the files that its page names', async () => {
    const { text } = await service.get('/docs').expect(200);
    expect(text).toContain('<title>Booking Service Interface (Preview)</title>');
    const files = [...text.matchAll(/(?:src|href)=["']([^"']+\.\w+)["']/g)].map(([, file]) => file!);
    expect(files.length).toBeGreaterThanOrEqual(5);
    for (const file of files) {
      // Relative, so that the page also works below a prefix that a proxy takes off.
      expect(file).toMatch(/^\.\/docs\//);
      await service.get(new URL(file, `${running.url}/docs`).pathname).expect(200);
    }
    const { headers } = await service.get('/docs/').redirects(0).expect(308);
    expect(new URL(headers['location']!, 'https://a.example/prefix/docs/').pathname).toBe('/prefix/docs');
  });

  it('can do without Swagger UI: the document stays', async () => {
    const without = await startApp({ SWAGGER_UI: 'false' });
    const other = api(without.url);
    for (const path of ['/docs', '/docs/swagger-ui-init.js', '/docs/swagger-ui.css']) await other.get(path).expect(404);
    await other.get('/openapi.json').expect(200);
    await without.close();
  });

  it.each(['/openapi.json', '/docs', '/docs/swagger-ui.css', '/docs/swagger-ui-init.js'])(
    'is only read at %s',
    async (path) => {
      await service.options(path).expect(204).expect('Allow', 'GET, HEAD, OPTIONS');
      const { body, headers } = await service.post(path).send({}).expect(405);
      expect(body).toMatchObject(aProblem('method-not-allowed'));
      expect(headers['allow']).toBe('GET, HEAD, OPTIONS');
      expect((await service.head(path).expect(200)).text ?? '').toBe('');
    },
  );

  it.each(['/docs/index.html', '/docs/package.json', '/docs/..%2Fpackage.json', '/docs-json', '/openapi.json/'])(
    'has nothing at %s',
    async (target) => {
      const { status, text } = await send(running.url, { target });
      expect(status).toBe(404);
      expect(JSON.parse(text)).toMatchObject(aProblem('route-not-found'));
    },
  );

  it.each([
    ['Range', 'bytes=99999999-'],
    ['If-Match', '"another"'],
    ['If-Unmodified-Since', 'Mon, 01 Jan 2001 00:00:00 GMT'],
  ])('sends a file whole, whatever %s says', async (name, value) => {
    const { status } = await send(running.url, { target: '/docs/swagger-ui.css', headers: { [name]: value } });
    expect(status).toBe(200);
  });
});
