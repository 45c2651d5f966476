const HOST = 'Host: localhost';
const JSON_TYPE = 'Content-Type: application/json';
const CHUNKED = 'Transfer-Encoding: chunked';

const head = (line: string, ...headers: string[]): string =>
  `${[`${line} HTTP/1.1`, HOST, ...headers].join('\r\n')}\r\n\r\n`;
const post = (...headers: string[]): string => head('POST /v1/bookings', ...headers);
const whole = post(JSON_TYPE, 'Content-Length: 2') + '{}';
const chunked = (body: string, ...headers: string[]): string => post(JSON_TYPE, CHUNKED, ...headers) + body;
const responds = (statuses: number[], bytes: string): { bytes: string; statuses: number[] } => ({ bytes, statuses });
const brokenBy = (status: number, bytes: string): { bytes: string; status: number } => ({ bytes, status });

/** Whole requests, and the statuses of their responses. */
export const firsts: Record<string, { readonly bytes: string; readonly statuses: readonly number[] }> = {
  'a list': responds([200], head('GET /v1/bookings?limit=1')),
  'a create': responds([201], whole),
  'a create in chunks': responds([201], chunked('2\r\n{}\r\n0\r\n\r\n')),
  'an unknown path': responds([404], head('GET /v1/nothing')),
  'another type': responds([415], post('Content-Length: 2') + '{}'),
  'a HEAD': responds([200], head('HEAD /v1/bookings?limit=1')),
  'a file': responds([200], head('GET /docs/favicon-32x32.png')),
  'a large file': responds([200], head('GET /docs/swagger-ui-bundle.js')),
  'two requests': responds([200, 201], head('GET /health/live') + whole),
};

/** Requests that turn out to be broken in their head or behind it, or that never end, and how they are rejected. */
export const broken: Record<string, { readonly bytes: string; readonly status: number }> = {
  'a bad chunk size': brokenBy(400, chunked('zz\r\n')),
  'a bad chunk size behind a chunk': brokenBy(400, chunked('2\r\n{}\r\nzz\r\n')),
  'a chunk that is longer than its size': brokenBy(400, chunked('2\r\n{}{}\r\n')),
  'a large chunk extension': brokenBy(413, chunked(`2;a=${'x'.repeat(20_000)}\r\n`)),
  'a bad chunk extension': brokenBy(400, chunked('2;\0\r\n{}\r\n')),
  'a large trailer': brokenBy(431, chunked(`2\r\n{}\r\n0\r\nX-A: ${'x'.repeat(20_000)}\r\n\r\n`)),
  'a bad trailer': brokenBy(400, chunked('2\r\n{}\r\n0\r\nX\0: a\r\n\r\n')),
  'a trailer that does not end': brokenBy(408, chunked('2\r\n{}\r\n0\r\nX-A: ')),
  'chunks that do not end': brokenBy(408, chunked('2\r\n{}\r\n')),
  'no chunk': brokenBy(408, chunked('')),
  'an expectation and a bad chunk size': brokenBy(400, chunked('zz\r\n', 'Expect: 100-continue')),
  'another type and a bad chunk size': brokenBy(400, post(CHUNKED) + 'zz\r\n'),
  'a GET with a bad chunk size': brokenBy(400, head('GET /v1/bookings', CHUNKED) + 'zz\r\n'),
  'another method with a bad chunk size': brokenBy(400, head('DELETE /v1/bookings', CHUNKED) + 'zz\r\n'),
  'a body that does not come': brokenBy(408, post(JSON_TYPE, 'Content-Length: 10')),
  'half of a body': brokenBy(408, `${post(JSON_TYPE, 'Content-Length: 10')}{"a"`),
  'half of a head': brokenBy(408, 'POST /v1/bookings HTTP/1.1\r\nHost: loc'),
  'a large head': brokenBy(431, `POST /v1/bookings HTTP/1.1\r\nX-A: ${'x'.repeat(20_000)}\r\n\r\n`),
  'a header without a colon': brokenBy(400, head('GET /v1/bookings', 'nothing')),
  'too many headers': brokenBy(431, head('GET /v1/bookings', ...Array.from({ length: 1_001 }, () => 'a:'))),
  garbage: brokenBy(400, '\0\0\0\r\n\r\n'),
  CONNECT: brokenBy(400, head('CONNECT localhost:1')),
};

/** What the client does once it has written both. */
export const manners = ['stays', 'half-closes', 'leaves', 'resets'] as const;
