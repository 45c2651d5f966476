import { readFileSync } from 'node:fs';
import { type CreateBookingDto, operations, pageExample, problemSchema, validate } from '@booking-service/contracts';
import { send } from 'testing/raw-http';
import type { BookingSchema } from '../../src/bookings/booking-schema.js';
import { fromCursor } from '../../src/bookings/domain/cursor.js';
import type { Tokens } from '../../src/features/openapi/describe-operation.js';
import { openApiDocument } from '../../src/features/openapi/openapi-document.js';
import { type Api, api } from '../support/api.js';
import { aProblem } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

const committed = new URL('../../../../packages/contracts/openapi.json', import.meta.url);

let running: RunningApp;
let service: Api;

beforeAll(async () => {
  running = await startApp();
  service = api(running.url);
});
afterAll(() => running.close());

interface Responses {
  [status: string]: { content?: Record<string, { examples?: Record<string, { value: object }> }> };
}

interface Document {
  paths: Record<string, Record<string, { security?: object[]; responses: Responses }>>;
  components: { securitySchemes?: object };
}

const document = (tokens: Tokens) => JSON.parse(JSON.stringify(openApiDocument(running.app, tokens))) as Document;

const withExamples = (examples: CreateBookingDto[]): BookingSchema => ({
  examples,
  errorsOf: () => [],
  schemaAt: () => ({ properties: {} }),
});

describe('The OpenAPI document', () => {
  it('is at /openapi.json as it is for this deployment', async () => {
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
  ] as const)('says of tokens that they are %s', (tokens, securityFor, statuses) => {
    const { paths, components } = document(tokens);
    for (const { path, method, scope } of Object.values(operations)) {
      const { security, responses } = paths[path]![method.toLowerCase()]!;
      expect(security).toEqual(securityFor(scope));
      const described = Object.keys(responses).filter((status) => ['401', '403'].includes(status));
      expect(described.join(' ')).toBe(statuses);
    }
    expect(Object.keys(components.securitySchemes ?? {})).toEqual(tokens === 'none' ? [] : ['bearer']);
  });

  it('shows the payloads of a deployment to that application alone', () => {
    const before = document('optional');
    const payload = { seats: 2 };
    const examples = { 'example-1': { summary: 'Example 1', value: payload } };
    expect(openApiDocument(running.app, 'none', withExamples([payload]))).toMatchObject({
      paths: { '/v1/bookings': { post: { requestBody: { content: { 'application/json': { examples } } } } } },
    });
    expect(document('optional')).toEqual(before);
  });

  it('has examples of problems that keep to their schema, and one of a cursor that the service takes', () => {
    const responses = Object.values(document('optional').paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap((operation) => Object.values(operation.responses));
    const problems = responses.flatMap(({ content }) => {
      const { examples = {} } = content?.['application/problem+json'] ?? {};
      return Object.values(examples).map(({ value }) => value);
    });
    expect(problems.length).toBeGreaterThan(20);
    for (const problem of problems) expect(validate(problemSchema, problem)).toEqual({ value: problem });
    expect(fromCursor(pageExample.next_cursor, { sort: '-created_at' })).toBeDefined();
  });
});

describe('Swagger UI', () => {
  it('is at /docs, labelled preview, with all the files that its page names', async () => {
    const { text } = await service.get('/docs').expect(200);
    expect(text).toContain('<title>Booking Service Interface (Preview)</title>');
    const files = [...text.matchAll(/(?:src|href)=["']([^"']+\.\w+)["']/g)].map(([, file]) => file!);
    expect(files.length).toBeGreaterThanOrEqual(5);
    for (const file of files) {
      // A relative path also works below a prefix that a proxy takes off.
      expect(file).toMatch(/^\.\/docs\//);
      const { pathname } = new URL(file, `${running.url}/docs`);
      await service.get(pathname).set({ 'If-Match': '"other"', Range: 'bytes=99999999-' }).expect(200);
    }
    const { headers } = await service.get('/docs/').redirects(0).expect(308);
    expect(new URL(headers['location']!, 'https://a.example/prefix/docs/').pathname).toBe('/prefix/docs');
  });

  it('may run the scripts of this service, and none within the page', async () => {
    const { headers, text } = await service.get('/docs').expect(200);
    const policy = headers['content-security-policy']!;
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';");
    expect(text).not.toMatch(/<script>|\son\w+=/);
  });

  it('can be left out, as can the timetable: the document stays', async () => {
    const without = await startApp({ SWAGGER_UI: 'false', TIMETABLE: 'false' });
    const other = api(without.url);
    const paths = ['/docs', '/docs/swagger-ui-init.js', '/timetable', '/timetable/timetable.js', '/'];
    for (const path of paths) await other.get(path).set('Accept', 'text/html').expect(404);
    await other.get('/openapi.json').expect(200);
    await without.close();
  });
});

it('The files of Swagger UI are read-only', async () => {
  const path = '/docs/swagger-ui-init.js';
  await service.options(path).expect(204).expect('Allow', 'GET, HEAD, OPTIONS');
  const { body } = await service.post(path).send({}).expect(405).expect('Allow', 'GET, HEAD, OPTIONS');
  expect(body).toMatchObject(aProblem('method-not-allowed'));
});

const nothing = ['nothing', '..%2Fpackage.json', '%2e', '/', 'index.html'].map((file) => `/docs/${file}`);
it.each([...nothing, '/docs-json', '/openapi.json/'])('There is nothing at %s', async (target) => {
  const { status, text } = await send(running.url, { target });
  expect(status).toBe(404);
  expect(JSON.parse(text)).toMatchObject(aProblem('route-not-found'));
});
