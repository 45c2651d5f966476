import { operations } from '@booking-service/contracts';
import { openApiDocument } from '../../src/openapi/openapi-document.js';
import { PREVIEW_VERSION } from '../../src/openapi/preview-version.js';
import { type Api, api } from '../support/api.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;
let service: Api;

beforeAll(async () => {
  running = await startApp();
  service = api(running.url);
});
afterAll(() => running.close());

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  parameters: { name: string; in: string; required: boolean }[];
  responses: Record<string, unknown>;
}

describe('The OpenAPI document', () => {
  let document: { openapi: string; info: Record<string, string>; paths: Record<string, Record<string, Operation>> };
  const operationAt = (path: string, method: string): Operation => document.paths[path]![method]!;
  const parametersOf = (path: string, method: string): string[] =>
    operationAt(path, method).parameters.map((parameter) => `${parameter.in} ${parameter.name}`);

  beforeAll(async () => {
    const { body, headers } = await service.get('/openapi.json').expect(200);
    expect(headers['content-type']).toMatch(/^application\/json/);
    document = body as typeof document;
  });

  it('is OpenAPI 3.1, and the one that every answer of these tests is held against, without what it has of tokens', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document).toEqual(JSON.parse(JSON.stringify(openApiDocument(PREVIEW_VERSION, 'none'))));
    expect(JSON.stringify(document)).not.toMatch(/security|bearer:/);
  });

  it('has the three operations and no other', () => {
    const found = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [operationId, `${method.toUpperCase()} ${path}`]),
    );
    expect(Object.fromEntries(found)).toEqual({
      listBookings: 'GET /v1/bookings',
      createBooking: 'POST /v1/bookings',
      getBooking: 'GET /v1/bookings/{booking_id}',
    });
    expect(found).toHaveLength(3);
  });

  it('labels itself and every operation as a preview', () => {
    expect(document.info['title']).toContain('Preview');
    expect(document.info['version']).toMatch(/preview/);
    for (const { path, method } of Object.values(operations)) {
      const { summary, tags } = operationAt(path, method.toLowerCase());
      expect(summary).toContain('(preview)');
      expect(tags.join()).toContain('preview');
    }
  });

  it('names every parameter', () => {
    const query = ['limit', 'cursor', 'resource_id', 'from', 'to', 'sort'];
    expect(parametersOf('/v1/bookings', 'get')).toEqual(query.map((name) => `query ${name}`));
    expect(parametersOf('/v1/bookings', 'post')).toEqual(['header Idempotency-Key']);
    expect(parametersOf('/v1/bookings/{booking_id}', 'get')).toEqual(['path booking_id', 'header If-None-Match']);
  });

  it('names every status', () => {
    const statusesOf = (path: string, method: string): string =>
      Object.keys(operationAt(path, method).responses).join(' ');
    expect(statusesOf('/v1/bookings', 'get')).toBe('200 400 429 500 503');
    expect(statusesOf('/v1/bookings', 'post')).toBe('201 400 409 413 415 422 429 500 503');
    expect(statusesOf('/v1/bookings/{booking_id}', 'get')).toBe('200 304 400 404 429 500 503');
  });
});

describe('Swagger UI', () => {
  it('is at /docs, labelled preview', async () => {
    const { text, headers } = await service.get('/docs').expect(200);
    expect(headers['content-type']).toMatch(/^text\/html/);
    expect(text).toContain('<title>Booking Service Interface (Preview)</title>');
    expect(text).toContain('swagger-ui');
  });

  it('comes with all the scripts and styles that its page names, and shows the document', async () => {
    const { text } = await service.get('/docs').expect(200);
    const files = [...text.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, file]) => file!);
    expect(files.length).toBeGreaterThanOrEqual(3);
    for (const file of files) {
      expect(file).not.toMatch(/^(?:https?:)?\/\//);
      await service.get(new URL(file, `${running.url}/docs`).pathname).expect(200);
    }
    expect((await service.get('/docs/start.js').expect(200)).text).toContain("url: 'openapi.json'");
  });

  it('can be left out: the document stays', async () => {
    const without = await startApp({ SWAGGER_UI: 'false' });
    const other = api(without.url);
    for (const path of ['/docs', '/docs/start.js', '/docs/swagger-ui.css']) await other.get(path).expect(404);
    await other.get('/openapi.json').expect(200);
    await without.close();
  });
});
