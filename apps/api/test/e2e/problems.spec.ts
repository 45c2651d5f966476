import { problemDetails, type ProblemName, problemTypes } from '@booking-service/contracts';
import { untilClosed } from 'testing';
import { type RawRequest, send } from 'testing/raw-http';
import { type Api, api } from '../support/api.js';
import { aProblem, aResource, aSlot, create } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;
let service: Api;
let id: string;
const slot = aSlot(aResource());
const key = { 'Idempotency-Key': 'a key that is used'.replaceAll(' ', '-') };

beforeAll(async () => {
  running = await startApp();
  service = api(running.url);
  id = (await create(service, { slot })).booking_id;
  await service.post('/v1/bookings').set(key).send({}).expect(201);
});
afterAll(() => running.close());

const post = (body: string, headers: Record<string, string> = {}): RawRequest => ({
  method: 'POST',
  target: '/v1/bookings',
  headers: { 'Content-Type': 'application/json', ...headers },
  body,
});

// `internal` is a bug, so no request should reach it; `unavailable` is in the tests of the stores, those of a token are in
// `tokens.spec.ts`, what is no whole request is in `wire-refusals.spec.ts`.
const refused: Record<
  Exclude<
    ProblemName,
    | 'internal'
    | 'unavailable'
    | 'unauthenticated'
    | 'forbidden'
    | 'request-timeout'
    | 'headers-too-large'
    | 'rate-limited'
  >,
  RawRequest
> = {
  'invalid-request': { target: '/v1/bookings?limit=0' },
  'booking-not-found': { target: '/v1/bookings/nothing' },
  'route-not-found': { target: '/v1/nothing' },
  'method-not-allowed': { method: 'DELETE', target: '/v1/bookings' },
  'slot-taken': post(JSON.stringify({ slot })),
  'precondition-failed': { target: '/docs/swagger-ui.css', headers: { 'If-Match': '"another"' } },
  'payload-too-large': post(' '.repeat(65_537)),
  'unsupported-media-type': post('{}', { 'Content-Type': 'text/plain' }),
  'range-not-satisfiable': { target: '/docs/swagger-ui.css', headers: { Range: 'bytes=99999999-' } },
  'expectation-failed': post('{}', { Expect: 'more' }),
  'invalid-booking': post('[]'),
  'idempotency-key-reused': post('{"another":1}', key),
};

describe.each(Object.entries(refused) as [ProblemName, RawRequest][])('The problem %s', (name, request) => {
  it('has the status, the title and the members of RFC 9457, and tells nothing of the inside', async () => {
    const target = `${request.target}${request.target.includes('?') ? '&' : '?'}secret=1`;
    const asked = {
      ...request,
      target: name === 'booking-not-found' || name === 'invalid-request' ? target : request.target,
    };
    const { status, headers, text } = await send(running.url, asked);
    const problem = JSON.parse(text) as Record<string, unknown>;
    expect(status).toBe(problemTypes[name].status);
    expect(headers['content-type']).toBe('application/problem+json');
    expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
    expect(problem).toMatchObject({
      type: `urn:problem-type:bookings:${name}`,
      title: problemTypes[name].title,
      status: problemTypes[name].status,
      detail: expect.stringMatching(/^[A-Z].+[.:?]/),
      instance: request.target.split('?')[0],
    });
    expect(text).not.toMatch(/node_modules|\.[jt]s\b|at \w+ \(|Exception/);
  });

  it('is the same for whatever the caller accepts', async () => {
    const { headers } = await send(running.url, { ...request, headers: { ...request.headers, Accept: 'text/html' } });
    expect(headers['content-type']).toBe('application/problem+json');
  });
});

describe('The detail of a problem', () => {
  /** They say what is malformed, and which methods there are. */
  const specific = new Set<string>(['invalid-request', 'method-not-allowed']);
  const others = (Object.entries(refused) as [ProblemName, RawRequest][]).filter(([name]) => !specific.has(name));

  it.each(others)('%s is the one that the OpenAPI document shows', async (name, request) => {
    const { text } = await send(running.url, request);
    expect(JSON.parse(text)).toHaveProperty('detail', problemDetails[name]);
  });
});

describe('No booking is found', () => {
  const notFound = async (target: string): Promise<void> => {
    const { status, text } = await send(running.url, { target });
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ ...aProblem('booking-not-found'), instance: target });
  };

  it.each([
    'nothing',
    '0',
    '%00',
    '%20',
    '%2F',
    '%2E%2E',
    '%E2%82%AC',
    '*',
    ':booking_id',
    'null',
    '__proto__',
    'constructor',
  ])('under %s', async (nothing) => {
    await notFound(`/v1/bookings/${nothing}`);
  });

  it('under 8,000 characters', async () => {
    await notFound(`/v1/bookings/${'x'.repeat(8_000)}`);
  });

  it.each([
    ['in upper case', () => id.toUpperCase()],
    ['in braces', () => `%7B${id}%7D`],
    ['in braces that are not escaped', () => `{${id}}`],
    ['without hyphens', () => id.replaceAll('-', '')],
    ['with urn:uuid: before it', () => `urn:uuid:${id}`],
    ['with a space after it', () => `${id}%20`],
    ['with U+0000 after it', () => `${id}%00`],
    ['with a line feed after it', () => `${id}%0A`],
    ['without its last character', () => id.slice(0, -1)],
    ['in quotes', () => `%22${id}%22`],
  ])('under the id of one %s', async (_, spelled) => {
    await notFound(`/v1/bookings/${spelled()}`);
  });

  it('though it is under its id, however that is escaped', async () => {
    const escaped = id.replaceAll('-', '%2D').replaceAll('0', '%30');
    expect((await send(running.url, { target: `/v1/bookings/${escaped}` })).status).toBe(200);
  });
});

describe('A path that cannot be decoded', () => {
  it.each(['%', '%2', '%zz', '%ff', '%C3', '%C0%80', '%ED%A0%80', '%'.repeat(1_000)])('is refused: %s', async (bad) => {
    const target = `/v1/bookings/${bad}`;
    for (const method of ['GET', 'POST', 'DELETE']) {
      const { status, text } = await send(running.url, { method, target });
      expect([400, 404]).toContain(status);
      expect(JSON.parse(text)).toMatchObject({ instance: target });
    }
  });
});

describe('X-Request-Id', () => {
  const idFor = async (given?: string | string[], target = '/v1/bookings'): Promise<string> => {
    const { headers } = await send(running.url, {
      target,
      headers: given === undefined ? {} : { 'X-Request-Id': given },
    });
    return headers['x-request-id']!;
  };

  it.each(['a', '~!"#$%&\'()*+,-./', 'x'.repeat(128)])("is the caller's: %s", async (given) => {
    for (const target of [
      '/v1/bookings',
      '/v1/bookings/nothing',
      '/nothing',
      '/health/live',
      '/docs',
      '/openapi.json',
    ]) {
      expect(await idFor(given, target)).toBe(given);
    }
  });

  it.each([undefined, '', 'x'.repeat(129), 'a b', 'a\tb', '\u00e9', ['a', 'b'].join(', ')])(
    'is new in place of %j',
    async (given) => {
      const ids = [await idFor(given), await idFor(given)];
      expect(new Set([...ids, given]).size).toBe(3);
    },
  );

  it('is new in place of one that is sent twice', async () => {
    expect(await idFor(['one', 'two'])).not.toMatch(/one|two/);
  });
});

describe('A problem', () => {
  it('names the path also where the request target is a whole URL', async () => {
    const request = 'GET http://elsewhere.example/v1/nothing?x=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const text = await untilClosed(running.url, request);
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toMatchObject({ instance: '/v1/nothing' });
  });

  it('lists at most 20 faults of a query, repeated or unknown', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `p${index}=1`).join('&');
    for (const query of [names, `${names}&${names}`]) {
      const { text } = await send(running.url, { target: `/v1/bookings?${query}` });
      expect((JSON.parse(text) as { errors: unknown[] }).errors).toHaveLength(20);
    }
  });
});
