import { operations } from '@booking-service/contracts';
import { SwaggerModule } from '@nestjs/swagger';
import type { Express } from 'express';
import { send } from 'testing/raw-http';
import { openBookingSchema } from '../../src/booking-schema/booking-schema.js';
import { openApiDocument } from '../../src/openapi/openapi-document.js';
import { readConfig } from '../../src/config/config.js';
import { createApp } from '../../src/create-app.js';
import { logTo } from '../../src/observability/logger.js';
import { type Api, api } from '../support/api.js';
import { aProblem } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

const { jest } = import.meta;

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

  it('is OpenAPI 3.1, and, but for its tokens, the document that validates every response of these tests', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document).toEqual(JSON.parse(JSON.stringify(openApiDocument(running.app, 'none', openBookingSchema))));
    const { webhooks, ...operations } = document as typeof document & {
      webhooks: Record<string, Record<string, object>>;
    };
    expect(JSON.stringify(operations)).not.toMatch(/security|bearer:/);
    // Said outright, whatever the operations ask for.
    for (const { post } of Object.values(webhooks)) expect(post).toMatchObject({ security: [] });
    expect(JSON.stringify(webhooks)).not.toContain('bearer:');
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
    const files = [...text.matchAll(/(?:src|href)=["']([^"']+\.\w+)["']/g)].map(([, file]) => file!);
    expect(files.length).toBeGreaterThanOrEqual(5);
    for (const file of files) {
      // Relative, so that the page also works below a prefix that a proxy takes off.
      expect(file).toMatch(/^\.\/docs\//);
      await service.get(new URL(file, `${running.url}/docs`).pathname).expect(200);
    }
    const { body } = await service.get('/openapi.json').expect(200);
    const { text: init } = await service.get('/docs/swagger-ui-init.js').expect(200);
    const [, options] = /let options = (\{[^]*?\n\});/.exec(init)!;
    expect(JSON.parse(options!)).toMatchObject({ swaggerDoc: body });
  });

  it('can be left out: the document stays', async () => {
    const without = await startApp({ SWAGGER_UI: 'false' });
    const other = api(without.url);
    for (const path of ['/docs', '/docs/swagger-ui-init.js', '/docs/swagger-ui.css']) await other.get(path).expect(404);
    await other.get('/openapi.json').expect(200);
    await without.close();
  });
});

describe('The pages of the documentation', () => {
  const pages = ['/openapi.json', '/docs', '/docs/swagger-ui.css', '/docs/swagger-ui-init.js'];

  it.each(pages)('%s is only read', async (path) => {
    const { headers } = await service.options(path).expect(204);
    expect(headers['allow']).toBe('GET, HEAD, OPTIONS');
    const { body, headers: rejected } = await service.post(path).send({}).expect(405);
    expect(body).toMatchObject(aProblem('method-not-allowed'));
    expect(rejected['allow']).toBe('GET, HEAD, OPTIONS');
    expect((await service.head(path).expect(200)).text ?? '').toBe('');
  });

  it('are also found with a slash at the end of /docs, below whatever prefix', async () => {
    const { headers, text } = await service.get('/docs/').redirects(0).expect(308);
    expect(new URL(headers['location']!, 'https://a.example/prefix/docs/').pathname).toBe('/prefix/docs');
    expect(text).toBe('');
    await service.post('/docs/').expect(405);
  });

  it.each([
    '/docs/index.html',
    '/docs/LICENSE',
    '/docs/package.json',
    '/docs/%2e/package.json',
    '/docs/..%2Fpackage.json',
    '/docs/swagger-ui.css/',
    '/docs/docs/swagger-ui.css',
    '/docs-json',
    '/docs-yaml',
    '/openapi.json/',
  ])('there is nothing at %s', async (target) => {
    for (const method of ['GET', 'OPTIONS', 'POST']) {
      const { status, text } = await send(running.url, { method, target });
      expect(status).toBe(404);
      expect(JSON.parse(text)).toMatchObject(aProblem('route-not-found'));
    }
  });

  // Express looks for the route of a request in the order in which routes were registered.
  it('are registered behind the operations, and the document is created on the first request for it', async () => {
    const app = await createApp(readConfig({}), logTo(process.stderr, 'warn'));
    const express = app.getHttpAdapter().getInstance();
    const registered: string[] = [];
    for (const method of ['all', 'get', 'post', 'use'] as const) {
      const register = express[method].bind(express) as (...given: unknown[]) => Express;
      jest.spyOn(express, method).mockImplementation((...given: unknown[]) => {
        registered.push(...[given[0]].flat().filter((path) => typeof path === 'string'));
        return register(...given);
      });
    }
    const make = jest.spyOn(SwaggerModule, 'createDocument');
    try {
      await app.listen(0, '127.0.0.1');
      const isOperation = (path: string) => path.startsWith('/v1/');
      const isDocumentation = (path: string) => path.startsWith('/docs') || path === '/openapi.json';
      expect(registered.filter(isOperation).length).toBeGreaterThanOrEqual(3);
      expect(registered.findIndex(isDocumentation)).toBeGreaterThan(registered.findLastIndex(isOperation));
      const url = await app.getUrl();
      for (const path of ['/v1/bookings', '/v1/nothing', '/docs']) await (await fetch(`${url}${path}`)).text();
      expect(make).not.toHaveBeenCalled();
      for (const path of ['/openapi.json', '/docs/swagger-ui-init.js']) await (await fetch(`${url}${path}`)).text();
      expect(make).toHaveBeenCalledTimes(1);
    } finally {
      await app.close();
      jest.restoreAllMocks();
    }
  });
});

describe('A file of Swagger UI', () => {
  const target = '/docs/swagger-ui.css';
  const get = (headers: Record<string, string>) => send(running.url, { target, headers });
  const PAST = 'Mon, 01 Jan 2001 00:00:00 GMT';

  it('comes in part for a Range', async () => {
    const whole = await get({});
    const part = await get({ Range: 'bytes=10-19' });
    expect(part.status).toBe(206);
    expect(part.headers['content-range']).toBe(`bytes 10-19/${Buffer.byteLength(whole.text)}`);
    expect(part.text).toBe(whole.text.slice(10, 20));
  });

  it.each(['lines=1-2', 'bytes=x', 'bytes=20-10, 3-'])('comes whole for an invalid Range: %s', async (range) => {
    const { status } = await get({ Range: range });
    expect([200, 206, 416]).toContain(status);
  });

  it('is 416 for a range that it does not have', async () => {
    const { status, headers, text } = await get({ Range: 'bytes=99999999-' });
    expect(status).toBe(416);
    expect(headers['content-range']).toMatch(/^bytes \*\/\d+$/);
    expect(JSON.parse(text)).toMatchObject({ ...aProblem('range-not-satisfiable'), instance: target });
  });

  it.each([
    ['If-Match', '"another"'],
    ['If-Unmodified-Since', PAST],
  ])('is 412 where %s does not hold', async (name, value) => {
    const { status, headers, text } = await get({ [name]: value });
    expect(status).toBe(412);
    expect(JSON.parse(text)).toMatchObject({ ...aProblem('precondition-failed'), instance: target });
    // Those of the file are not those of the problem.
    for (const header of ['accept-ranges', 'etag', 'last-modified']) expect(headers).not.toHaveProperty(header);
    expect(headers['cache-control']).toBe('private, no-cache');
  });

  it.each([
    ['If-Match', () => '*', 200],
    ['If-Match', (tags: Tags) => tags.etag, 200],
    ['If-Unmodified-Since', (tags: Tags) => tags.modified, 200],
    ['If-None-Match', (tags: Tags) => tags.etag, 304],
    ['If-None-Match', () => '"another"', 200],
    ['If-Modified-Since', (tags: Tags) => tags.modified, 304],
    ['If-Modified-Since', () => PAST, 200],
  ] as const)('understands %s: %p -> %d', async (name, value, expected) => {
    const { headers } = await get({});
    const { status } = await get({ [name]: value({ etag: headers['etag']!, modified: headers['last-modified']! }) });
    expect(status).toBe(expected);
  });
});

interface Tags {
  etag: string;
  modified: string;
}
