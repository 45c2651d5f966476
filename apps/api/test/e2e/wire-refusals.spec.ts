import { untilClosed } from 'testing';
import { exchange } from 'testing/raw-http';
import { api } from '../support/api.js';
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

describe('What is no whole request is refused with a problem, and closed:', () => {
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

  it('is never the response of the whole request before it', async () => {
    const received = await untilClosed(running.url, `${POST}Content-Length: 2\r\n\r\n{}\0`);
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201']);
  });
});

describe('A body that waits to be asked for', () => {
  const expecting = (...headers: string[]): string =>
    `POST /v1/bookings HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n${headers.join('\r\n')}\r\n\r\n`;

  it.each([
    ['large', expecting('Content-Type: application/json', 'Content-Length: 65537'), 413],
    ['of another type', expecting('Content-Type: text/plain', 'Content-Length: 2'), 415],
    [
      'under a key that is none',
      expecting('Content-Type: application/json', 'Content-Length: 2', 'Idempotency-Key: two keys'),
      400,
    ],
  ])('is not asked for where it is refused unread: %s', async (_, head, status) => {
    expect((await exchange(running.url, head)).status).toBe(status);
  });

  it('is asked for else, and then makes a booking', async () => {
    const head = expecting('Content-Type: application/json', 'Content-Length: 7', 'Connection: close');
    const received = await untilClosed(running.url, `${head}{"a":1}`);
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 201']);
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

describe('Two content types', () => {
  it('are refused, whichever comes first', async () => {
    const types = ['Content-Type: application/json', 'Content-Type: text/plain'];
    for (const [first, second] of [types, types.toReversed()]) {
      const head = `POST /v1/bookings HTTP/1.1\r\nHost: x\r\n${first}\r\n${second}\r\nContent-Length: 2\r\n\r\n`;
      const { status, text } = await exchange(running.url, head, '{}');
      expect(status).toBe(400);
      expect(JSON.parse(text)).toMatchObject(aProblem('invalid-request'));
    }
  });
});

describe('Pages outside /v1', () => {
  it.each(['/health/live', '/health/ready', '/metrics', '/openapi.json', '/docs'])(
    'take no other method: %s',
    async (path) => {
      const service = api(running.url);
      for (const method of ['post', 'put', 'delete'] as const) {
        const { body, headers } = await service[method](path).expect(405);
        expect(body).toMatchObject(aProblem('method-not-allowed'));
        expect(headers['allow']).toBe('GET, HEAD, OPTIONS');
      }
      expect((await service.options(path).expect(204)).headers['allow']).toBe('GET, HEAD, OPTIONS');
    },
  );
});
