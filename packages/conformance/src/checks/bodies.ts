import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { check, checksOf } from '../check.js';
import { expectReceived, expectStatus, expectStatuses } from '../expectations.js';
import { aResource, aSlot } from '../fixtures.js';
import { expectProblem } from '../problems.js';
import { JSON_HEADERS, post } from '../service.js';
import { responds } from '../statements.js';

const MAX_BYTES = 65_536;

const OTHER_ENCODING = { problem: 'unsupported-media-type', headers: { 'accept-encoding': 'identity' } } as const;
const OTHER_TYPE = { problem: 'unsupported-media-type', headers: { accept: 'application/json' } } as const;

const OTHER_TYPES = ['text/plain', 'text/json', 'application/jsonp', 'application/problem+json', '*/*', ''];
const TYPE_PARAMETERS = [';charset=utf-8', ' ; Charset="UTF-8"', '; charset=utf8', '; odata.metadata="a,b"', ';'];
const OTHER_ORIGINS = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: 'https://other.example' },
];

const BAD_JSON = ['{', '{"a":1,}', "{'a':1}", '{a:1}', '{"a":NaN}', '{"a":01}', '{}x', '{}{}', '{"a":"\t"}', '{/**/}'];
const OTHER_JSON = ['[]', '[{}]', '"text"', '1', 'true', 'null'];

const ofSize = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`;

const inChunks = (body: string, headers: Record<string, string> = JSON_HEADERS) => {
  return { method: 'POST', body, chunked: true, headers };
};

/** A create that announces this `Content-Length`, but sends no body. */
const announcing = (length: number) => {
  return { method: 'POST', headers: { ...JSON_HEADERS, 'content-length': String(length) }, body: '', unfinished: true };
};

const ofText = (body: string) => post(body);
const ofType = (type: string, body = '{}') => post(body, { 'content-type': type });
const encoded = (encoding: string, body: string | Uint8Array = '{}') => post(body, { 'content-encoding': encoding });

/** A create with a string that consists of these bytes. */
const withText = (...bytes: number[]) =>
  post(Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]));

/** Multi-byte characters, sent in a `resource_id`: a deployment's schema may accept no further member. */
const WIDE_TEXT = '予約'.repeat(20);

export const bodies = checksOf('Creating', 'interface', [
  responds('create.size.accepted', 'a body may have 65,536 bytes', 'success', [
    post(ofSize(MAX_BYTES)),
    inChunks(ofSize(MAX_BYTES)),
  ]),
  responds('create.size.rejected', 'a body of more than 65,536 bytes is 413', 'payload-too-large', [
    post(ofSize(MAX_BYTES + 1)),
    // The limit counts bytes, not characters.
    post(`{"a":"é${'x'.repeat(MAX_BYTES - 9)}"}`),
  ]),
  responds('create.size.by-length', 'a longer `Content-Length` is 413 before the body is read', 'payload-too-large', [
    announcing(MAX_BYTES + 1),
    announcing(1_000_000_000_000),
  ]),
  responds('create.size.chunked', 'a chunked body is measured as it arrives', 'payload-too-large', [
    { ...inChunks('x'.repeat(MAX_BYTES + 1)), unfinished: true },
  ]),
  responds('create.encoding.rejected', 'a `Content-Encoding` other than `identity` is 415', OTHER_ENCODING, [
    encoded('gzip', gzipSync('{}')),
    encoded('deflate', deflateSync('{}')),
    encoded('br', brotliCompressSync('{}')),
    ...['GZIP', 'gzip, identity', 'x-unknown'].map((encoding) => encoded(encoding)),
  ]),
  responds('create.encoding.accepted', 'a `Content-Encoding` of `identity` is accepted', 'success', [
    encoded('identity'),
    encoded('Identity'),
  ]),
  responds('create.type.rejected', 'a `Content-Type` that is missing or not application/json is 415', OTHER_TYPE, [
    { method: 'POST', body: '{}' },
    ...OTHER_TYPES.map((type) => ofType(type)),
    ofType('application/x-www-form-urlencoded'),
    ofType('application/json, application/json'),
  ]),
  check('create.type.other-origin', 'an empty body from a page of another origin needs a type', async (service) => {
    for (const headers of OTHER_ORIGINS) {
      expectProblem(await service.send({ method: 'POST', headers }), 'unsupported-media-type');
      expectStatus(await service.send({ method: 'POST', headers: { ...headers, ...JSON_HEADERS } }), 'success');
    }
    expectStatus(await service.send({ method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } }), 'success');
  }),
  responds('create.type.parameters', 'any parameter of application/json is accepted', 'success', [
    ...TYPE_PARAMETERS.map((parameters) => ofType(`Application/JSON${parameters}`)),
    ofType('application/json;charset=us-ascii'),
  ]),
  check('create.type.chunked', 'type and encoding of a chunked body are checked after it was read', async (service) => {
    for (const headers of [{}, { ...JSON_HEADERS, 'content-encoding': 'gzip' }]) {
      expectProblem(await service.send(inChunks('{}', headers)), 'unsupported-media-type');
      expectProblem(await service.send(inChunks(ofSize(MAX_BYTES + 1), headers)), 'payload-too-large');
    }
  }),
  responds('create.json.utf-8', 'invalid UTF-8 is 400', 'invalid-request', [
    withText(0x80),
    withText(0xe9),
    withText(0xc0, 0x80),
    withText(0xed, 0xa0, 0x80),
    withText(0xf0, 0x9f),
    post(Buffer.from('{}', 'utf16le')),
  ]),
  responds('create.json.byte-order-mark', 'a byte order mark is accepted', 'success', [post('\ufeff{}')]),
  responds('create.json.malformed', 'malformed JSON is 400', 'invalid-request', BAD_JSON.map(ofText)),
  responds('create.json.white-space', 'white space alone is 400', 'invalid-request', [post(' '), post('\r\n\t ')]),
  responds('create.json.around', 'white space around JSON is accepted', 'success', [post('\r\n\t {"a":1} \n')]),
  responds('create.json.object', 'JSON that is not an object is 422', 'invalid-booking', OTHER_JSON.map(ofText)),
  check('create.json.pieces', 'a body may arrive in pieces of one byte', async ({ connection }) => {
    const payload = JSON.stringify({ slot: aSlot(`${aResource()} ${WIDE_TEXT}`) });
    const bytes = connection.bytesOf(post(payload, { connection: 'close' }));
    const [head, body] = bytes.split('\r\n\r\n') as [string, string];
    const pieces = Array.from(Buffer.from(body), (byte) => Buffer.from([0x31, 0x0d, 0x0a, byte, 0x0d, 0x0a]));
    const chunked = `${head.replace(/content-length: \d+/, 'transfer-encoding: chunked')}\r\n\r\n`;
    const received = await connection.sendBytes(
      Buffer.concat([Buffer.from(chunked), ...pieces, Buffer.from('0\r\n\r\n')]),
    );
    expectStatuses(received, 201);
    expectReceived(received, received.text.includes(WIDE_TEXT), `a booking with ${WIDE_TEXT}`);
  }),
]);
