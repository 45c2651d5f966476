import { problemDetails, type ProblemName, problemTypes } from '@booking-service/contracts';
import { type RawRequest, send } from 'testing/raw-http';
import { type Api, api } from '../support/api.js';
import { aKey, aProblem, aResource, aSlot, create } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;
let service: Api;
const slot = aSlot(aResource());
const key = { 'Idempotency-Key': aKey() };

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

// `internal` is a bug, so no request should reach it; the others need a setting, a fault of the store or broken bytes.
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
  'invalid-request': { target: '/v1/bookings?limit=0&secret=1' },
  'booking-not-found': { target: '/v1/bookings/nothing' },
  'route-not-found': { target: '/v1/nothing' },
  'method-not-allowed': { method: 'DELETE', target: '/v1/bookings' },
  'slot-taken': post(JSON.stringify({ slot })),
  'payload-too-large': post(' '.repeat(65_537)),
  'unsupported-media-type': post('{}', { 'Content-Type': 'text/plain' }),
  'expectation-failed': post('{}', { Expect: 'more' }),
  'invalid-booking': post('[]'),
  'idempotency-key-reused': post('{"another":1}', key),
};

/** They say what is malformed, and which methods there are. */
const specific = new Set<string>(['invalid-request', 'method-not-allowed']);

it.each(Object.entries(rejected) as [ProblemName, RawRequest][])(
  'The problem %s is the one that the OpenAPI document shows, and reveals nothing internal',
  async (name, request) => {
    const { status, headers, text } = await send(running.url, request);
    expect(status).toBe(problemTypes[name].status);
    expect(headers['content-type']).toBe('application/problem+json');
    expect(JSON.parse(text)).toMatchObject({
      ...aProblem(name),
      ...(!specific.has(name) && { detail: problemDetails[name] }),
      instance: request.target.split('?')[0],
    });
    expect(text).not.toMatch(/node_modules|\.[jt]s\b|at \w+ \(|Exception/);
  },
);

/** Twenty faults at members whose pointers would be as long as possible, and others that quote what was sent. */
const echoing: [string, RawRequest][] = [
  ['numbers below a name that is longer when it is escaped', post(`{"${'名'.repeat(21_000)}":[1e400,1e400]}`)],
  ['long names', post(`{${Array.from({ length: 60 }, (_, n) => `"${'\u00a0'.repeat(170)}${n}":1e400`).join()},"a":0}`)],
  [
    'members of a slot',
    post(`{"slot":{${Array.from({ length: 60 }, (_, n) => `"${'/'.repeat(900)}${n}":1`).join()}}}`),
  ],
  [
    'parameters',
    { target: `/v1/bookings?${Array.from({ length: 19 }, (_, n) => `${'~'.repeat(800)}${n}=1`).join('&')}` },
  ],
  ['a parameter that is repeated', { target: `/v1/bookings?${'~'.repeat(7_000)}=1&${'~'.repeat(7_000)}=1` }],
  ['a path of quotes', { target: `/v1/${'"'.repeat(15_000)}` }],
  ['a body that is not JSON', post(`{"guest": ${'😀'.repeat(16_000)}}`)],
];

describe('A problem that quotes what was sent', () => {
  it.each(echoing)('has less than 64 KiB, and is JSON that every parser reads: %s', async (_what, request) => {
    const { status, text } = await send(running.url, request);
    expect([400, 404, 422]).toContain(status);
    expect(Buffer.byteLength(text)).toBeLessThan(65_536);
    // An escape of a lone surrogate is rejected by strict parsers.
    expect(JSON.stringify(JSON.parse(text))).not.toMatch(/\\ud[89a-f]/i);
  });

  it('has pointers to members that were sent', async () => {
    const { text } = await send(running.url, post(`{"a":{"${'n'.repeat(60_000)}":1e400,"b":1e400}}`));
    expect((JSON.parse(text) as { errors: object[] }).errors).toEqual([
      { pointer: '#/a', detail: expect.stringMatching(/^a member within this one is too large/) },
      { pointer: '#/a/b', detail: expect.stringMatching(/^is too large/) },
    ]);
  });
});
