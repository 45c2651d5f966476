import { ModulesContainer } from '@nestjs/core';
import { untilClosed } from 'testing';
import type { ReceivedResponse } from 'testing/contract';
import { exchange, head, send } from 'testing/raw-http';
import { AuthModule } from '../../src/auth/auth.module.js';
import { api } from '../support/api.js';
import { anApiKey, ApiKeysFile, bearer } from '../support/api-keys.js';
import { type RunningApp, startApp } from '../support/start-app.js';

const writer = anApiKey('writer');
const reader = anApiKey('reader', 'bookings:read');

let file: ApiKeysFile;
let running: RunningApp;
let bookingPath: string;

beforeAll(async () => {
  file = new ApiKeysFile(writer, reader);
  running = await startApp({ AUTH_API_KEYS_FILE: file.path });
  const made = await ask('POST', '/v1/bookings', `Bearer ${writer.token}`);
  expect(made.status).toBe(201);
  bookingPath = made.headers['location']!;
});
afterAll(async () => {
  await running.close();
  file.remove();
});

const ask = (method: string, target: string, authorization?: string): Promise<ReceivedResponse> =>
  send(running.url, { method, target, ...(authorization !== undefined && { headers: { authorization } }) });

describe('A rejected create', () => {
  const sizes = ['Content-Type: application/json', 'Content-Length: 60000'];

  it.each([
    ['401', []],
    ['403', [`Authorization: ${bearer(reader)}`]],
  ])('is rejected with %s before any of its body is sent', async (status, lines) => {
    const response = await exchange(running.url, head('POST /v1/bookings', ...sizes, ...lines));
    expect(String(response.status)).toBe(status);
  });

  it('is judged by its token before its key, its size and its type', async () => {
    const lines = ['Idempotency-Key: a b', 'Content-Type: text/plain', 'Content-Length: 1000000000'];
    expect((await exchange(running.url, head('POST /v1/bookings', ...lines))).status).toBe(401);
  });

  it('leaves its body unread, which is not parsed as another request', async () => {
    const inner = head('POST /v1/bookings', `Authorization: ${bearer(writer)}`, 'Content-Length: 0');
    const next = head('GET /v1/bookings?limit=1', `Authorization: ${bearer(reader)}`, 'Connection: close');
    const bytes = head('POST /v1/bookings', `Content-Length: ${inner.length}`) + inner + next;
    const received = await untilClosed(running.url, bytes);
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200']);
  });
});

describe('Beside the operations', () => {
  it.each(['/health/live', '/health/ready', '/metrics', '/docs', '/openapi.json'])(
    'the page %s needs no token',
    async (target) => {
      expect((await ask('GET', target)).status).toBe(200);
    },
  );

  it.each([
    ['GET', '/v1', 404],
    ['GET', '/v1/', 404],
    ['GET', '/v1/nothing', 404],
    ['POST', '/v1/bookings/', 404],
    ['DELETE', '/v1/bookings/a/b', 404],
    ['GET', '/v1/bookings/%ff', 400],
    ['GET', '/v1/%c3%28/x', 400],
  ])('nothing of /v1 is revealed without a token: %s %s', async (method, target, status) => {
    expect((await ask(method, target)).status).toBe(401);
    expect((await ask(method, target, bearer(anApiKey('nobody')))).status).toBe(401);
    expect((await ask(method, target, bearer(reader))).status).toBe(status);
  });

  it('an unknown path outside of /v1 needs no token for its 404', async () => {
    for (const target of ['/', '/v2/bookings', '/v10', '/V1/bookings', '/%ff']) {
      expect([400, 404]).toContain((await ask('GET', target)).status);
    }
  });

  it('OPTIONS needs no token', async () => {
    for (const target of ['/v1/bookings', bookingPath, '/v1/bookings/nothing']) {
      const { status, headers } = await ask('OPTIONS', target);
      expect(status).toBe(204);
      expect(headers['allow']).toContain('OPTIONS');
    }
  });

  it('another method needs a token, of any scope, before it is rejected', async () => {
    for (const target of ['/v1/bookings', bookingPath]) {
      expect((await ask('DELETE', target)).status).toBe(401);
      expect((await ask('DELETE', target, bearer(reader))).status).toBe(405);
    }
  });

  it('responses are counted under their operation', async () => {
    await ask('GET', bookingPath);
    await ask('POST', '/v1/bookings', bearer(reader));
    const { text } = await ask('GET', '/metrics');
    expect(text).toMatch(/_count\{operation="getBooking",status="401"\} [1-9]/);
    expect(text).toMatch(/_count\{operation="createBooking",status="403"\} [1-9]/);
  });
});

describe('The documentation of a service that requires tokens', () => {
  it('says which scope each operation needs, and what the response is without it', async () => {
    const { text } = await ask('GET', '/openapi.json');
    const { paths, components } = JSON.parse(text) as {
      paths: Record<string, Record<string, { security: unknown; responses: Record<string, unknown> }>>;
      components: { securitySchemes: unknown };
    };
    expect(components.securitySchemes).toMatchObject({ bearer: { type: 'http', scheme: 'bearer' } });
    const found = Object.values(paths).flatMap((methods) => Object.values(methods));
    expect(found.map(({ security }) => security)).toEqual([
      [{ bearer: ['bookings:read'] }],
      [{ bearer: ['bookings:write'] }],
      [{ bearer: ['bookings:read'] }],
    ]);
    for (const { responses } of found) expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '403']));
  });

  it('has the button of Swagger UI that takes a token', async () => {
    // Swagger UI shows `Authorize` where its document has a security scheme.
    expect((await ask('GET', '/openapi.json')).text).toContain('"securitySchemes"');
  });
});

describe('A service that requires no token', () => {
  const modulesOf = ({ app }: RunningApp): unknown[] =>
    [...app.get(ModulesContainer).values()].map(({ metatype }) => metatype);

  let open: RunningApp;
  beforeAll(async () => {
    open = await startApp();
  });
  afterAll(() => open.close());

  it('takes requests with and without one, and has nothing that could judge it', async () => {
    await api(open.url).get('/v1/bookings').expect(200);
    await api(open.url).post('/v1/bookings').set('Authorization', 'Bearer x').send({}).expect(201);
    expect(modulesOf(running)).toContain(AuthModule);
    expect(modulesOf(open)).not.toContain(AuthModule);
  });

  it('has no such button in its documentation', async () => {
    expect((await api(open.url).get('/openapi.json').expect(200)).text).not.toContain('securitySchemes');
  });
});
