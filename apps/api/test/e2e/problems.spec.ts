import { problemDetails, type ProblemName, problemTypes } from '@booking-service/contracts';
import { type RawRequest, send } from 'testing/raw-http';
import { type Api, api } from '../support/api.js';
import { aResource, aSlot, create } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;
let service: Api;
const slot = aSlot(aResource());
const key = { 'Idempotency-Key': 'a key that is used'.replaceAll(' ', '-') };

beforeAll(async () => {
  running = await startApp();
  service = api(running.url);
  await create(service, { slot });
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
// `tokens.spec.ts`, what is no whole request is in `wire.spec.ts`.
const rejected: Record<
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

describe.each(Object.entries(rejected) as [ProblemName, RawRequest][])('The problem %s', (name, request) => {
  it('has the status, the title and the members of RFC 9457, and reveals nothing internal', async () => {
    const target = `${request.target}${request.target.includes('?') ? '&' : '?'}secret=1`;
    const sent = {
      ...request,
      target: name === 'booking-not-found' || name === 'invalid-request' ? target : request.target,
    };
    const { status, headers, text } = await send(running.url, sent);
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
});

describe('The detail of a problem', () => {
  /** They say what is malformed, and which methods there are. */
  const specific = new Set<string>(['invalid-request', 'method-not-allowed']);
  const others = (Object.entries(rejected) as [ProblemName, RawRequest][]).filter(([name]) => !specific.has(name));

  it.each(others)('%s is the one that the OpenAPI document shows', async (name, request) => {
    const { text } = await send(running.url, request);
    expect(JSON.parse(text)).toHaveProperty('detail', problemDetails[name]);
  });
});
