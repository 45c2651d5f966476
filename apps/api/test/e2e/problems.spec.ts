import { untilClosed } from 'testing';
import { head, type RawRequest, send } from 'testing/raw-http';
import { api } from '../support/api.js';
import { list } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;
beforeAll(async () => (running = await startApp()));
afterAll(() => running.close());

const post = (body: string): RawRequest => ({
  method: 'POST',
  target: '/v1/bookings',
  headers: { 'Content-Type': 'application/json' },
  body,
});
const manyNamed = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => `"${name}${n}":1e400`).join();

/** Requests whose problems would be long: twenty long pointers, or a long quotation. */
const echoing: [string, RawRequest][] = [
  ['numbers below a name that is longer when it is escaped', post(`{"${'名'.repeat(21_000)}":[1e400,1e400]}`)],
  ['long names', post(`{${manyNamed('\u00a0'.repeat(170), 60)}}`)],
  [
    'long parameters',
    { target: `/v1/bookings?${Array.from({ length: 19 }, (_, n) => `${'~'.repeat(800)}${n}=1`).join('&')}` },
  ],
  ['a path of quotes', { target: `/v1/${'"'.repeat(15_000)}` }],
  ['a body that is not JSON', post(`{"guest": ${'😀'.repeat(16_000)}}`)],
];

describe('A problem that quotes what was sent', () => {
  it.each(echoing)('has less than 64 KiB, and is JSON that every parser reads: %s', async (_what, request) => {
    const { status, text } = await send(running.url, request);
    expect([400, 404, 422]).toContain(status);
    expect(Buffer.byteLength(text)).toBeLessThan(65_536);
    // Strict parsers reject an escape of a lone surrogate.
    expect(JSON.stringify(JSON.parse(text))).not.toMatch(/\\ud[89a-f]/i);
  });
});

it('A query whose `+` was read as a space is told to write `%2B`', async () => {
  const { body } = await api(running.url).get('/v1/bookings?from=2030-01-01T09:00:00+02:00').expect(400);
  expect(body).toMatchObject({ detail: expect.stringContaining('%2B'), errors: [{ pointer: '#/from' }] });
});

const json = 'Content-Type: application/json';
it.each([
  ['with a length', `${head('POST /v1/bookings', json, 'Content-Length: 999')}{"a":1}`],
  ['in chunks', `${head('POST /v1/bookings', json, 'Transfer-Encoding: chunked')}2\r\n{}\r\n`],
])('An incomplete body %s makes no booking', async (_, bytes) => {
  await untilClosed(running.url, bytes, { halfClose: true });
  expect((await list(api(running.url))).bookings).toEqual([]);
});
