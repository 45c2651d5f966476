import { head } from 'testing/raw-http';
import type { Random } from '../random.js';

const BODY = JSON.stringify({
  slot: { resource_id: 'mutated', start: '2026-12-01T09:00:00.000Z', end: '2026-12-01T10:00:00.000Z' },
  guest: { name: 'Ada', seats: [1, 2.5, -3], nothing: null },
});
const CHUNKS = `${BODY.length.toString(16)};x=1\r\n${BODY}\r\n0\r\nTrailer: t\r\n\r\n`;
const post = (...headers: string[]): string => head('POST /v1/bookings', 'Content-Type: application/json', ...headers);

const SEEDS = [
  `${post('Idempotency-Key: "mutated"', `Content-Length: ${BODY.length}`)}${BODY}`,
  `${post('Transfer-Encoding: chunked')}${CHUNKS}`,
  head('GET /v1/bookings?limit=2&resource_id=a&from=2026-12-01T09:00:00Z', 'Accept: */*'),
  head('GET http://[::1]:80/v1/bookings?limit=1'),
  head('GET /v1/bookings/019aa1c2-6d1e-7c3a-9f0b-1f6f2f0d7a55', 'If-None-Match: "x", W/"y"'),
].map((text) => Buffer.from(text));

/** Texts that parsers trip over, separated by `~`. */
const TOKENS = [
  '\0~\r~\n~\r\n~\r\n ~\t~ ~:~;~,~"~\\~{~[~%00~0x~-1~1e999~__proto__~HTTP/1.0~HTTP/2.0~fffffffffffffffff',
  '\r\nHost: b\r\n~\r\nTransfer-Encoding: chunked\r\n~\r\nContent-Length: 0\r\n~\r\n\r\n~\r\n0\r\n\r\n',
  '\\ud800~\\u0000~\uFEFF~\u{1F3BE}',
].flatMap((texts) => texts.split('~').map((text) => Buffer.from(text)));

/** Changes a request: inserts, replaces or removes bytes, or replaces its end with another request or nothing. */
function mutated(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length);
  const from = random.below(bytes.length);
  const added = random.pick([
    random.pick(TOKENS),
    Buffer.from([random.below(256)]),
    Buffer.alloc(0),
    bytes.subarray(from, from + random.below(60)),
  ]);
  if (random.chance(0.15)) return Buffer.concat([bytes.subarray(0, at), random.pick([...SEEDS, Buffer.alloc(0)])]);
  return Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + random.below(30) * random.below(2))]);
}

export function mutatedRequest(random: Random): Buffer {
  let bytes: Buffer = random.pick(SEEDS);
  for (let count = 1 + random.below(4); count > 0 && bytes.length > 0; count--) bytes = mutated(bytes, random);
  return bytes;
}
