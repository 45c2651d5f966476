import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { checksOf } from '../check.js';
import { expectHeader } from '../expectations.js';
import { expectProblem } from '../problems.js';
import { readBooking } from '../reading.js';
import { JSON_HEADERS } from '../service.js';
import { rejectsBodies } from './rejections.js';

const MAX_BYTES = 65_536;

/** A payload of exactly so many bytes. */
const ofSize = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`;

const bytes = (...values: number[]): Uint8Array =>
  Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, ...values, 0x22, 0x7d]);

export const sizes = checksOf('Creating', 'interface', [
  {
    id: 'create.size.accepted',
    title: 'a body may have 65,536 bytes, with a length and in chunks',
    writes: true,
    run: async (service) => {
      readBooking(await service.post(ofSize(MAX_BYTES)));
      const request = { method: 'POST', body: ofSize(MAX_BYTES), chunked: true, headers: JSON_HEADERS };
      readBooking(await service.send(request));
    },
  },
  rejectsBodies(
    {
      id: 'create.size.rejected',
      title: 'a body of more than 65,536 bytes is 413, also where the characters are fewer',
    },
    'payload-too-large',
    [ofSize(MAX_BYTES + 1), `{"a":"é${'x'.repeat(MAX_BYTES - 9)}"}`],
  ),
  {
    id: 'create.size.by-length',
    title: 'a body that is too large by Content-Length is 413 before any of it is read',
    writes: true,
    run: async (service) => {
      for (const length of [MAX_BYTES + 1, 1_000_000_000_000]) {
        const headers = { ...JSON_HEADERS, 'content-length': String(length) };
        expectProblem(await service.send({ method: 'POST', headers, body: '', unfinished: true }), 'payload-too-large');
      }
    },
  },
  {
    id: 'create.size.chunked',
    title: 'a body in chunks is measured as it arrives',
    writes: true,
    run: async (service) => {
      const body = 'x'.repeat(MAX_BYTES + 1);
      const request = { method: 'POST', body, chunked: true, unfinished: true, headers: JSON_HEADERS };
      expectProblem(await service.send(request), 'payload-too-large');
    },
  },
]);

export const mediaTypes = checksOf('Creating', 'interface', [
  {
    id: 'create.encoding.rejected',
    title: 'a Content-Encoding other than identity is 415 with Accept-Encoding: identity',
    writes: true,
    run: async (service) => {
      for (const [encoding, body] of [
        ['gzip', gzipSync('{}')],
        ['deflate', deflateSync('{}')],
        ['br', brotliCompressSync('{}')],
        ['GZIP', '{}'],
        ['gzip, identity', '{}'],
        ['x-unknown', '{}'],
      ] as const) {
        const response = await service.post(body, { 'content-encoding': encoding });
        expectProblem(response, 'unsupported-media-type');
        expectHeader(response, 'accept-encoding', 'identity');
      }
    },
  },
  {
    id: 'create.encoding.accepted',
    title: 'the Content-Encoding may be identity',
    writes: true,
    run: async (service) => {
      for (const encoding of ['identity', 'Identity']) {
        readBooking(await service.post('{}', { 'content-encoding': encoding }));
      }
    },
  },
  {
    id: 'create.type.rejected',
    title: 'a Content-Type that is missing or not application/json is 415 with Accept: application/json',
    writes: true,
    run: async (service) => {
      const typed = [
        'text/plain',
        'text/json',
        'application/jsonp',
        'application/problem+json',
        'application/x-www-form-urlencoded',
        'application/json, application/json',
        '*/*',
        '',
      ];
      for (const headers of [{}, ...typed.map((type) => ({ 'content-type': type }))]) {
        const response = await service.send({ method: 'POST', body: '{}', headers });
        expectProblem(response, 'unsupported-media-type');
        expectHeader(response, 'accept', 'application/json');
      }
    },
  },
  {
    id: 'create.type.other-origin',
    title: 'a missing body of a page of another origin is 415 without the type that CORS allows first',
    writes: true,
    run: async (service) => {
      for (const origin of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://other.example' }]) {
        expectProblem(await service.send({ method: 'POST', headers: origin }), 'unsupported-media-type');
        readBooking(await service.send({ method: 'POST', headers: { ...origin, 'content-type': 'application/json' } }));
      }
      readBooking(await service.send({ method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } }));
    },
  },
  {
    id: 'create.type.charset',
    title: '`charset=utf-8` is the one parameter that the content type may have',
    writes: true,
    run: async (service) => {
      for (const type of [
        'application/json;charset=utf-8',
        'Application/JSON; charset="UTF-8"',
        'application/json ; Charset=utf-8',
      ]) {
        readBooking(await service.post('{}', { 'content-type': type }));
      }
      for (const type of [
        'application/json; charset=iso-8859-1',
        'application/json; charset=utf-16',
        'application/json; charset=utf-80',
        'application/json; charset="utf-8',
        'application/json; v=1',
      ]) {
        expectProblem(await service.post('{}', { 'content-type': type }), 'unsupported-media-type');
      }
    },
  },
  {
    id: 'create.type.chunked',
    title: 'the type and the encoding of a body in chunks are judged after it was read',
    writes: true,
    run: async (service) => {
      const request = { method: 'POST', body: '{}', chunked: true };
      for (const headers of [{}, { ...JSON_HEADERS, 'content-encoding': 'gzip' }]) {
        expectProblem(await service.send({ ...request, headers }), 'unsupported-media-type');
        const long = { ...request, headers, body: ofSize(MAX_BYTES + 1) };
        expectProblem(await service.send(long), 'payload-too-large');
      }
    },
  },
]);

export const json = checksOf('Creating', 'interface', [
  rejectsBodies({ id: 'create.json.utf-8', title: 'a body that is not UTF-8 is 400' }, 'invalid-request', [
    bytes(0x80),
    bytes(0xe9),
    bytes(0xc0, 0x80),
    bytes(0xed, 0xa0, 0x80),
    bytes(0xf0, 0x9f),
    Buffer.from('{}', 'utf16le'),
  ]),
  rejectsBodies(
    { id: 'create.json.byte-order-mark', title: 'a body with a byte order mark is 400' },
    'invalid-request',
    ['\ufeff{}', '\ufeff'],
  ),
  rejectsBodies({ id: 'create.json.malformed', title: 'a body that is not JSON is 400' }, 'invalid-request', [
    '{',
    '{"a":1,}',
    "{'a':1}",
    '{a:1}',
    '{"a":NaN}',
    '{"a":01}',
    '{}x',
    '{}{}',
    '{"a":"\t"}',
    '{/**/}',
  ]),
  rejectsBodies({ id: 'create.json.white-space', title: 'a body of white space alone is 400' }, 'invalid-request', [
    ' ',
    '\r\n\t ',
  ]),
  {
    id: 'create.json.around',
    title: 'white space around JSON is part of it',
    writes: true,
    run: async (service) => void readBooking(await service.post('\r\n\t {"a":1} \n')),
  },
  rejectsBodies({ id: 'create.json.object', title: 'JSON that is not an object is 422' }, 'invalid-booking', [
    '[]',
    '[{}]',
    '"text"',
    '1',
    'true',
    'null',
  ]),
]);
