import { METHODS, type OutgoingHttpHeaders } from 'node:http';
import type { RawRequest } from 'testing/raw-http';
import type { Random } from '../random.js';
import { hostileBodies } from './hostile-bodies.js';

/** A request that HTTP allows and that is rejected, and with what. */
export interface HostileRequest {
  readonly what: string;
  readonly request: RawRequest;
  readonly statuses: readonly number[];
}

type Maker = (random: Random) => Omit<HostileRequest, 'what'>;

const JSON_HEADERS = { 'Content-Type': 'application/json' };

const get = (target: string, ...statuses: number[]) => ({ request: { target }, statuses });
const post = (headers: OutgoingHttpHeaders, body: string, ...statuses: number[]) => ({
  request: { method: 'POST', target: '/v1/bookings', headers, body },
  statuses,
});

const BAD_KEYS = ['', '"', '"a', 'a"', '""', 'a b', 'a\\b', 'a, b', '"a"; p=1', 'k'.repeat(256), '\u00e9', 'a\tb'];
const BAD_TYPES = ['', 'text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'application/jsonx'].concat(
  ['application/json; charset=utf-16', 'application/json; charset="', 'application/json;;x=1', '*/*', '__proto__'],
  [`application/json${';'.repeat(5_000)}x`, `application/json;${' \t'.repeat(3_000)}y`],
);
const BAD_QUERIES = ['limit=0', 'limit=101', 'limit=-1', 'limit=1e1', 'limit=', 'limit=%00', 'limit=1&limit=2'].concat(
  ['sort=', 'sort=start%00', 'sort[]=start', 'from=now', 'from=2026-12-01T09:00:00+01:00', 'to=9999-99-99T00:00:00Z'],
  ['cursor=', 'cursor=../..', 'cursor=%F0%9F%8E%BE', 'resource_id=', 'resource_id=%00', 'resource_id=%ED%A0%80'],
  ['%', '%zz', '%ff', 'a=%C0%AF', '__proto__=1', '__proto__[a]=1', 'constructor=1', 'hasOwnProperty=1', '=1', '=&=&='],
);
const PATH_PARTS = [
  '..',
  '.',
  '%2e%2e',
  '%2F',
  '%5c',
  '%00',
  '\\',
  ';',
  '__proto__',
  'v1',
  'bookings',
  'etc',
  '*',
  ':',
];
const OTHER_METHODS = METHODS.filter((method) => !['CONNECT', 'GET', 'HEAD', 'OPTIONS', 'POST'].includes(method));

const makers: Record<string, Maker> = {
  'a bad idempotency key': (random) =>
    post({ ...JSON_HEADERS, 'Idempotency-Key': random.pick(BAD_KEYS) }, '{"a":1}', 400),
  'another content type': (random) => post({ 'Content-Type': random.pick(BAD_TYPES) }, '{"a":1}', 415),
  'another encoding': (random) =>
    post({ ...JSON_HEADERS, 'Content-Encoding': random.pick(['gzip', 'br', 'x', '', 'identity, gzip']) }, '{}', 415),
  'two content types': () => post({ 'Content-Type': ['application/json', 'text/plain'] }, '{"a":1}', 400),
  'an unknown expectation': () => post({ ...JSON_HEADERS, Expect: 'the-unexpected' }, '{"a":1}', 417),
  'a bad query': (random) => get(`/v1/bookings?${random.pick(BAD_QUERIES)}`, 400),
  'a made-up cursor': (random) => {
    const bytes = Array.from({ length: 1 + random.below(200) }, () => random.below(256));
    return get(`/v1/bookings?cursor=${Buffer.from(bytes).toString('base64url')}`, 400);
  },
  'a flood of parameters': (random) => {
    const names = Array.from({ length: 100 + random.below(1_000) }, (_, index) => `p${index}=${random.below(9)}`);
    return get(`/v1/bookings?${names.join('&')}`, 400);
  },
  'a path to nowhere': (random) => {
    const parts = Array.from({ length: 1 + random.below(8) }, () => random.pick(PATH_PARTS));
    return get(`/${parts.join('/')}/nowhere`, 404);
  },
  'an id of nothing': (random) => {
    const id = Array.from({ length: 1 + random.below(2_000) }, () =>
      random.pick(['%00', '%C3%A9', 'a', '0', '-', '.']),
    );
    return get(`/v1/bookings/x${id.join('')}`, 404);
  },
  'an id that is not UTF-8': (random) =>
    get(`/v1/bookings/${random.pick(['%', '%f', '%ff', '%C0%AF', '%ED%A0%80'])}`, 400),
  'another method': (random) => ({
    request: {
      method: random.pick(OTHER_METHODS),
      target: random.pick(['/v1/bookings', '/v1/bookings/x']),
    },
    statuses: [405],
  }),
  'headers that are too large': (random) => ({
    request: { target: '/v1/bookings', headers: { 'X-Fill': 'x'.repeat(16_384 + random.below(30_000)) } },
    statuses: [431],
  }),
  'headers without number': (random) => {
    const names = Array.from({ length: 900 + random.below(1_200) }, (_, index) => [`h${index}`, '']);
    // Beside those of JSON, the key, Host, Content-Length and Connection.
    const isTooMany = names.length + Object.keys(JSON_HEADERS).length + 4 > 1_000;
    const headers = { ...Object.fromEntries(names), ...JSON_HEADERS, 'Idempotency-Key': 'no key' };
    return post(headers, '{}', isTooMany ? 431 : 400);
  },
};

/** Requests, each of which is rejected; two of three for its body, with a length or in chunks. */
export function* hostileRequests(random: Random, count: number): Generator<HostileRequest> {
  const bodies = hostileBodies(random, count);
  const named = Object.entries(makers);
  for (let index = 0; index < count; index++) {
    if (index % 3 === 0) {
      const [what, make] = named[(index / 3) % named.length]!;
      yield { what, ...make(random) };
    } else {
      const { what, body, status } = bodies.next().value!;
      const framing = random.chance(0.5)
        ? { 'Transfer-Encoding': 'chunked' }
        : { 'Content-Length': Buffer.byteLength(body) };
      const headers = { ...JSON_HEADERS, ...framing, 'Idempotency-Key': `hostile-${index}` };
      yield { what, request: { method: 'POST', target: '/v1/bookings', headers, body }, statuses: [status] };
    }
  }
}
