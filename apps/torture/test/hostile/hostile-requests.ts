import { METHODS, type OutgoingHttpHeaders } from 'node:http';
import type { RawRequest } from 'testing/raw-http';
import type { Random } from '../random.js';
import { hostileBodies } from './hostile-bodies.js';

/** A request that HTTP allows and that is rejected, and with what. */
export interface HostileRequest {
  readonly what: string;
  readonly status: number;
  readonly request: RawRequest;
}

const JSON_HEADERS = { 'Content-Type': 'application/json' };

const post = (headers: OutgoingHttpHeaders, body: string | Buffer = '{"a":1}'): RawRequest => ({
  method: 'POST',
  target: '/v1/bookings',
  headers: { ...JSON_HEADERS, ...headers },
  body,
});
const get = (target: string): RawRequest => ({ target });
const several = <Item>(random: Random, most: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: 1 + random.below(most) }, (_, index) => make(index));

const BAD_KEYS = ['', '"', '"a', 'a"', '""', 'a b', 'a\\b', 'a, b', '"a"; p=1', 'k'.repeat(256), '\u00e9', 'a\tb'];
const BAD_TYPES = ['', 'text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'application/jsonx'].concat(
  ['application/json; charset=utf-16', 'application/json; charset="', 'application/json;;x=1', '*/*', '__proto__'],
  [`application/json${';'.repeat(5_000)}x`, `application/json;${' \t'.repeat(3_000)}y`],
);
const BAD_QUERIES = ['limit=0', 'limit=101', 'limit=-1', 'limit=1e1', 'limit=', 'limit=%00', 'limit=1&limit=2'].concat(
  [
    'sort=',
    'sort=created_at%00',
    'sort[]=created_at',
    'from=now',
    'from=2026-12-01T09:00:00+01:00',
    'to=9999-99-99T00:00:00Z',
  ],
  ['cursor=', 'cursor=../..', 'cursor=%F0%9F%8E%BE', 'resource_id=', 'resource_id=%00', 'resource_id=%ED%A0%80'],
  ['%', '%zz', '%ff', 'a=%C0%AF', '__proto__=1', '__proto__[a]=1', 'constructor=1', 'hasOwnProperty=1', '=1', '=&=&='],
);
const PATH_PARTS = '.. . %2e%2e %2F %5c %00 \\ ; __proto__ v1 bookings etc * :'.split(' ');
const ID_PARTS = ['%00', '%C3%A9', 'a', '0', '-', '.'];
const BAD_UTF8 = ['%', '%f', '%ff', '%C0%AF', '%ED%A0%80'];
const BAD_ENCODINGS = ['gzip', 'br', 'x', '', 'identity, gzip'];
const THOUSAND = Array.from({ length: 1_000 }, (_, index) => [`t${index}`, '']);
const OTHER_METHODS = METHODS.filter((method) => !['CONNECT', 'GET', 'HEAD', 'OPTIONS', 'POST'].includes(method));

const makers: [what: string, status: number, make: (random: Random) => RawRequest][] = [
  ['a bad idempotency key', 400, (random) => post({ 'Idempotency-Key': random.pick(BAD_KEYS) })],
  ['another content type', 415, (random) => post({ 'Content-Type': random.pick(BAD_TYPES) })],
  ['another encoding', 415, (random) => post({ 'Content-Encoding': random.pick(BAD_ENCODINGS) })],
  ['a bad query', 400, (random) => get(`/v1/bookings?${random.pick(BAD_QUERIES)}`)],
  [
    'a made-up cursor',
    400,
    (random) => {
      const bytes = several(random, 200, () => random.below(256));
      return get(`/v1/bookings?cursor=${Buffer.from(bytes).toString('base64url')}`);
    },
  ],
  [
    'a flood of parameters',
    400,
    (random) => get(`/v1/bookings?${several(random, 1_000, (index) => `p${index}=${random.below(9)}`).join('&')}`),
  ],
  [
    'a path to nowhere',
    404,
    (random) => get(`/${several(random, 8, () => random.pick(PATH_PARTS)).join('/')}/nowhere`),
  ],
  [
    'an id of nothing',
    404,
    (random) => get(`/v1/bookings/x${several(random, 2_000, () => random.pick(ID_PARTS)).join('')}`),
  ],
  ['an id that is not UTF-8', 400, (random) => get(`/v1/bookings/${random.pick(BAD_UTF8)}`)],
  ['another method', 405, (random) => ({ ...get('/v1/bookings/x'), method: random.pick(OTHER_METHODS) })],
  [
    'headers that are too large',
    431,
    (random) => ({ ...get('/v1/bookings'), headers: { 'X-Fill': 'x'.repeat(16_384 + random.below(30_000)) } }),
  ],
  [
    'headers without number',
    431,
    (random) => post(Object.fromEntries(several(random, 1_000, (index) => [`h${index}`, '']).concat(THOUSAND))),
  ],
];

/** Requests, each of which is rejected; two of three for its body, with a length or in chunks. */
export function* hostileRequests(random: Random, count: number): Generator<HostileRequest> {
  const bodies = hostileBodies(random, count);
  for (let index = 0; index < count; index++) {
    if (index % 3 === 0) {
      const [what, status, make] = makers[(index / 3) % makers.length]!;
      yield { what, status, request: make(random) };
    } else {
      const { what, body, status } = bodies.next().value!;
      const isChunked = random.chance(0.5);
      const framing = isChunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': Buffer.byteLength(body) };
      yield { what, status, request: post({ ...framing, 'Idempotency-Key': `hostile-${index}` }, body) };
    }
  }
}
