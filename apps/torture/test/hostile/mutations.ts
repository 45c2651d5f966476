import type { Random } from '../random.js';

const BODY = JSON.stringify({
  slot: { resource_id: 'mutated', start: '2026-12-01T09:00:00.000Z', end: '2026-12-01T10:00:00.000Z' },
  guest: { name: 'Ada', seats: [1, 2.5, -3], nothing: null },
});

/** Whole requests, good as they are. */
const SEEDS = [
  `POST /v1/bookings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nIdempotency-Key: "mutated"\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
  `POST /v1/bookings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${BODY.length.toString(16)};x=1\r\n${BODY}\r\n0\r\nTrailer: t\r\n\r\n`,
  'GET /v1/bookings?limit=2&resource_id=a&from=2026-12-01T09:00:00Z HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n',
  'GET /v1/bookings/019aa1c2-6d1e-7c3a-9f0b-1f6f2f0d7a55 HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: "x", W/"y"\r\n\r\n',
].map((text) => Buffer.from(text));

/** What parsers trip over, divided by `~`. */
const TOKENS = [
  '\0~\r~\n~\r\n~\r\n ~\t~ ~:~;~,~"~\\~{~[~%00~0x~-1~1e999~__proto__~HTTP/1.0~HTTP/2.0~fffffffffffffffff',
  '\r\nHost: b\r\n~\r\nTransfer-Encoding: chunked\r\n~\r\nContent-Length: 0\r\n~\r\n\r\n~\r\n0\r\n\r\n',
  '\\ud800~\\u0000~\uFEFF~\u{1F3BE}',
].flatMap((texts) => texts.split('~').map((text) => Buffer.from(text)));

type Mutation = (random: Random, bytes: Buffer) => Buffer;

const splice = (bytes: Buffer, at: number, removed: number, added: Uint8Array): Buffer =>
  Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + removed)]);

const NOTHING = Buffer.alloc(0);

const mutations: Mutation[] = [
  (random, bytes) => splice(bytes, random.below(bytes.length), 1, Buffer.from([random.below(256)])),
  (random, bytes) => splice(bytes, random.below(bytes.length), 0, random.pick(TOKENS)),
  (random, bytes) => splice(bytes, random.below(bytes.length), 1 + random.below(12), random.pick(TOKENS)),
  (random, bytes) => splice(bytes, random.below(bytes.length), 1 + random.below(30), NOTHING),
  (random, bytes) => bytes.subarray(0, random.below(bytes.length)),
  (random, bytes) => {
    const from = random.below(bytes.length);
    return splice(bytes, random.below(bytes.length), 0, bytes.subarray(from, from + random.below(60)));
  },
  (random, bytes) => Buffer.concat([bytes.subarray(0, random.below(bytes.length)), random.pick(SEEDS)]),
];

/** The bytes of a good request after one to four mutations; what they come to is open. */
export function mutatedRequest(random: Random): Buffer {
  let bytes: Buffer = random.pick(SEEDS);
  for (let count = 1 + random.below(4); count > 0 && bytes.length > 0; count--) {
    bytes = random.pick(mutations)(random, bytes);
  }
  return bytes;
}
