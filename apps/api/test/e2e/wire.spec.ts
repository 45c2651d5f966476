import { untilClosed } from 'testing';
import { exchange } from 'testing/raw-http';
import { aProblem } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;

beforeAll(async () => {
  running = await startApp({ HEADERS_TIMEOUT_MS: '300', REQUEST_TIMEOUT_MS: '400' });
});
afterAll(() => running.close());

const POST = 'POST /v1/bookings HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

/** What comes before the connection is closed, which it is, and after one response. */
async function lastWords(bytes: string): Promise<{ head: string; problem: Record<string, unknown> }> {
  const [head, body, ...more] = (await untilClosed(running.url, bytes)).split('\r\n\r\n') as [string, string];
  expect(more).toEqual([]);
  return { head, problem: JSON.parse(body) as Record<string, unknown> };
}

describe('An incomplete or malformed request is rejected with a problem, and the connection closed:', () => {
  it.each([
    ['headers that never end', `${POST}X-Slow: `, 'request-timeout', ''],
    ['a body that never ends', `${POST}Content-Length: 9\r\n\r\n{`, 'request-timeout', '/v1/bookings'],
    ['nothing at all', '', 'request-timeout', ''],
    ['large headers', `${POST}X-Large: ${'x'.repeat(20_000)}\r\n\r\n`, 'headers-too-large', ''],
    ['bytes that are not HTTP', '\x16\x03\x01', 'invalid-request', ''],
    ['two lengths', `${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 'invalid-request', ''],
    ['two hosts', `${POST}Host: y\r\n\r\n`, 'invalid-request', '/v1/bookings'],
    ['no host', 'GET /v1/bookings?limit=1 HTTP/1.1\r\n\r\n', 'invalid-request', '/v1/bookings'],
    [
      'another transfer coding',
      `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
      'invalid-request',
      '/v1/bookings',
    ],
    ['an unknown expectation', `${POST}Expect: more\r\n\r\n`, 'expectation-failed', '/v1/bookings'],
  ] as const)('%s', async (_, bytes, name, instance) => {
    const { head, problem } = await lastWords(bytes);
    expect(problem).toMatchObject({ ...aProblem(name), instance });
    expect(head).toMatch(/^HTTP\/1\.1 4\d\d [A-Z]/);
    expect(head).toMatch(/^Connection: close$/m);
    expect(head).toMatch(/^Content-Type: application\/problem\+json$/m);
    expect(head).toMatch(/^X-Request-Id: [!-~]+$/m);
    expect(head).toMatch(/^Cache-Control: private, no-cache$/m);
    expect(head).toMatch(/^X-Content-Type-Options: nosniff$/m);
  });

  it("is under the caller's id where its headers were read", async () => {
    const { head } = await lastWords(`${POST}X-Request-Id: mine\r\nContent-Length: 9\r\n\r\n{`);
    expect(head).toMatch(/^X-Request-Id: mine$/m);
  });

  it('comes behind the response of the whole request before it', async () => {
    const received = await untilClosed(running.url, `${POST}Content-Length: 2\r\n\r\n{}\0`);
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 400']);
  });
});

describe('A body in chunks that is too large', () => {
  it('leaves the connection to the next request', async () => {
    const chunk = `4e20\r\n${'x'.repeat(20_000)}\r\n`;
    const next = 'GET /v1/bookings HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const bytes = `${POST}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(20)}0\r\n\r\n${next}`;
    const received = await untilClosed(running.url, bytes);
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
  });
});

describe('A body in chunks', () => {
  it('may have its characters cut by them', async () => {
    const body = Buffer.from('{"a":"\u{1F6AA}"}');
    const chunks = [body.subarray(0, 8), body.subarray(8), Buffer.alloc(0)].map((data) =>
      Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from('\r\n')]),
    );
    const { status, text } = await exchange(running.url, `${POST}Transfer-Encoding: chunked\r\n\r\n`, ...chunks);
    expect(status).toBe(201);
    expect(JSON.parse(text)).toMatchObject({ a: '\u{1F6AA}' });
  });
});

describe('A request target that is a whole URL', () => {
  it('is one of its path, which a problem names', async () => {
    const request = 'GET http://elsewhere.example/v1/nothing?x=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const { problem } = await lastWords(request);
    expect(problem).toMatchObject({ ...aProblem('route-not-found'), instance: '/v1/nothing' });
  });
});
