import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { check, checksOf } from '../check.js';
import { expectStatus, expectStatuses, expectThat } from '../expectations.js';
import { Failure } from '../failure.js';
import { aResource, aSlot } from '../inventions.js';
import { expectProblem } from '../problems.js';
import { row } from '../row.js';
import { JSON_HEADERS, post } from '../service.js';

const MAX_BYTES = 65_536;

/** A payload of exactly so many bytes. */
const ofSize = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`;

const inChunks = (body: string, headers: Record<string, string> = JSON_HEADERS) => {
  return { method: 'POST', body, chunked: true, headers };
};

/** The head of a create that says how long its body is, and goes on. */
const declaring = (length: number) => {
  return { method: 'POST', headers: { ...JSON_HEADERS, 'content-length': String(length) }, body: '', unfinished: true };
};

/** A payload with a text of these bytes. */
const withText = (...bytes: number[]): Uint8Array =>
  Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]);

/** In pieces of one byte, its characters are cut too. A slot may have it, whatever a deployment's schema takes. */
const WIDE_TEXT = '予約'.repeat(20);

export const bodies = checksOf('Creating', 'interface', [
  row('create.size.accepted', 'a body may have 65,536 bytes, with a length and in chunks', 'success', [
    post(ofSize(MAX_BYTES)),
    inChunks(ofSize(MAX_BYTES)),
  ]),
  row(
    'create.size.rejected',
    'a body of more than 65,536 bytes is 413, also where the characters are fewer',
    'payload-too-large',
    [post(ofSize(MAX_BYTES + 1)), post(`{"a":"é${'x'.repeat(MAX_BYTES - 9)}"}`)],
  ),
  row(
    'create.size.by-length',
    'a body that is too large by Content-Length is 413 before any of it is read',
    'payload-too-large',
    [declaring(MAX_BYTES + 1), declaring(1_000_000_000_000)],
  ),
  row('create.size.chunked', 'a body in chunks is measured as it arrives', 'payload-too-large', [
    { ...inChunks('x'.repeat(MAX_BYTES + 1)), unfinished: true },
  ]),
  row(
    'create.encoding.rejected',
    'a Content-Encoding other than identity is 415 with Accept-Encoding: identity',
    { problem: 'unsupported-media-type', headers: { 'accept-encoding': 'identity' } },
    [
      post(gzipSync('{}'), { 'content-encoding': 'gzip' }),
      post(deflateSync('{}'), { 'content-encoding': 'deflate' }),
      post(brotliCompressSync('{}'), { 'content-encoding': 'br' }),
      ...['GZIP', 'gzip, identity', 'x-unknown'].map((encoding) => post('{}', { 'content-encoding': encoding })),
    ],
  ),
  row('create.encoding.accepted', 'the Content-Encoding may be identity', 'success', [
    post('{}', { 'content-encoding': 'identity' }),
    post('{}', { 'content-encoding': 'Identity' }),
  ]),
  row(
    'create.type.rejected',
    'a Content-Type that is missing or not application/json is 415 with Accept: application/json',
    { problem: 'unsupported-media-type', headers: { accept: 'application/json' } },
    [
      { method: 'POST', body: '{}' },
      ...[
        'text/plain',
        'text/json',
        'application/jsonp',
        'application/problem+json',
        'application/x-www-form-urlencoded',
        'application/json, application/json',
        '*/*',
        '',
      ].map((type) => post('{}', { 'content-type': type })),
    ],
  ),
  check(
    'create.type.other-origin',
    'a missing body of a page of another origin is 415 without the type that CORS allows first',
    async (service) => {
      const others = [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: 'https://other.example' },
      ];
      for (const headers of others) {
        expectProblem(await service.send({ method: 'POST', headers }), 'unsupported-media-type');
        expectStatus(await service.send({ method: 'POST', headers: { ...headers, ...JSON_HEADERS } }), 'success');
      }
      expectStatus(await service.send({ method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } }), 'success');
    },
  ),
  row(
    'create.type.parameters',
    'parameters of the content type are ignored',
    'success',
    [';charset=utf-8', ' ; Charset="UTF-8"', '; charset=utf8', ';charset=us-ascii', '; odata.metadata="a,b"', ';'].map(
      (parameters) => post('{}', { 'content-type': `Application/JSON${parameters}` }),
    ),
  ),
  check(
    'create.type.chunked',
    'type and encoding of a body in chunks are judged after it was read',
    async (service) => {
      for (const headers of [{}, { ...JSON_HEADERS, 'content-encoding': 'gzip' }]) {
        expectProblem(await service.send(inChunks('{}', headers)), 'unsupported-media-type');
        expectProblem(await service.send(inChunks(ofSize(MAX_BYTES + 1), headers)), 'payload-too-large');
      }
    },
  ),
  row('create.json.utf-8', 'a body that is not UTF-8 is 400', 'invalid-request', [
    post(withText(0x80)),
    post(withText(0xe9)),
    post(withText(0xc0, 0x80)),
    post(withText(0xed, 0xa0, 0x80)),
    post(withText(0xf0, 0x9f)),
    post(Buffer.from('{}', 'utf16le')),
  ]),
  row('create.json.byte-order-mark', 'a byte order mark at the beginning of a body is ignored', 'success', [
    post('\ufeff{}'),
  ]),
  row(
    'create.json.malformed',
    'a body that is not JSON is 400',
    'invalid-request',
    ['{', '{"a":1,}', "{'a':1}", '{a:1}', '{"a":NaN}', '{"a":01}', '{}x', '{}{}', '{"a":"\t"}', '{/**/}'].map((body) =>
      post(body),
    ),
  ),
  row('create.json.white-space', 'a body of white space alone is 400', 'invalid-request', [
    post(' '),
    post('\r\n\t '),
    post('\ufeff'),
  ]),
  row('create.json.around', 'white space around JSON is part of it', 'success', [post('\r\n\t {"a":1} \n')]),
  row(
    'create.json.object',
    'JSON that is not an object is 422',
    'invalid-booking',
    ['[]', '[{}]', '"text"', '1', 'true', 'null'].map((body) => post(body)),
  ),
  check('create.json.pieces', 'a body may come in pieces of one byte', async (service) => {
    const payload = JSON.stringify({ slot: aSlot(`${aResource()} ${WIDE_TEXT}`) });
    const bytes = service.bytesOf(post(payload, { connection: 'close' }));
    const [head, body] = bytes.split('\r\n\r\n') as [string, string];
    const pieces = Array.from(Buffer.from(body), (byte) => Buffer.from([0x31, 0x0d, 0x0a, byte, 0x0d, 0x0a]));
    const chunked = `${head.replace(/content-length: \d+/, 'transfer-encoding: chunked')}\r\n\r\n`;
    const received = await service.sendBytes(
      Buffer.concat([Buffer.from(chunked), ...pieces, Buffer.from('0\r\n\r\n')]),
    );
    expectStatuses(received, 201);
    if (!received.includes(WIDE_TEXT)) throw new Failure(`a booking with ${WIDE_TEXT}`, received);
  }),
  check('create.json.quoted', 'a problem that quotes the body has no half of a character', async (service) => {
    // Wherever the quotation ends, one of them is cut there.
    for (const before of ['', ' ']) {
      const response = await service.post(`{"a":${before}${'🙂'.repeat(40)}`);
      const { detail } = expectProblem(response, 'invalid-request');
      expectThat(response, !/\p{Surrogate}/u.test(String(detail)), 'a detail of whole characters');
    }
  }),
]);
