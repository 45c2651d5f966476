import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { untilClosed } from 'testing';
import { exchange } from 'testing/raw-http';
import { type Api, api } from '../support/api.js';
import { aProblem } from '../support/bookings.js';
import { type RunningApp, startApp } from '../support/start-app.js';

let running: RunningApp;
let service: Api;
let before: string;

const list = async (): Promise<string> => (await service.get('/v1/bookings').expect(200)).text;

beforeAll(async () => {
  running = await startApp();
  service = api(running.url);
});
afterAll(() => running.close());
beforeEach(async () => {
  before = await list();
});

const MAX_BYTES = 65_536;
const JSON_HEADER = 'Content-Type: application/json';
const CHUNKED = 'Transfer-Encoding: chunked';

const head = (...headers: string[]): string =>
  `${['POST /v1/bookings HTTP/1.1', 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;
const chunk = (data: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${Buffer.byteLength(data).toString(16)}\r\n`), Buffer.from(data), Buffer.from('\r\n')]);
const LAST_CHUNK = '0\r\n\r\n';

/** Posts a body with a length and exactly these headers. */
const post = (body: string | Buffer, ...headers: string[]) =>
  exchange(running.url, head(`Content-Length: ${Buffer.byteLength(body)}`, ...headers), body);

/** A booking of exactly so many bytes. */
const ofSize = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`;

async function expectRefusal(response: ReturnType<typeof exchange>, name: Parameters<typeof aProblem>[0]) {
  const { headers, text } = await response;
  expect(JSON.parse(text)).toMatchObject(aProblem(name));
  expect(await list()).toBe(before);
  return headers;
}

describe('A missing body is the empty object:', () => {
  it.each([
    ['no length at all', [head()]],
    ['no length, and a content type', [head(JSON_HEADER)]],
    ['length 0', [head('Content-Length: 0')]],
    ['length 0, and a content type', [head('Content-Length: 0', JSON_HEADER)]],
    ['length 0, and another content type', [head('Content-Length: 0', 'Content-Type: text/plain')]],
    ['no chunk', [head(CHUNKED), LAST_CHUNK]],
    ['no chunk, and a content type', [head(CHUNKED, JSON_HEADER), LAST_CHUNK]],
  ])('%s', async (_, parts) => {
    const { status, text } = await exchange(running.url, ...parts);
    expect(status).toBe(201);
    expect(Object.keys(JSON.parse(text) as object)).toEqual(['booking_id', 'created_at']);
  });
});

describe('A body is not JSON in UTF-8', () => {
  it.each([
    ['with a byte order mark', '\ufeff{}'],
    ['with a byte order mark alone', '\ufeff'],
    ['as a space alone', ' '],
    ['as white space alone', '\r\n\t '],
    ['with a byte that stands for nothing', Buffer.from([0x7b, 0x22, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
    ['in Latin-1', Buffer.from('{"a":"é"}', 'latin1')],
    ['with an overlong form', Buffer.from([0x7b, 0x22, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
    ['with a surrogate', Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
    ['cut within a character', Buffer.from('"\u{1F6AA}"').subarray(0, 4)],
    ['in UTF-16', Buffer.from('{}', 'utf16le')],
  ])('%s', async (_, body) => {
    await expectRefusal(post(body, JSON_HEADER), 'invalid-request');
    await expectRefusal(exchange(running.url, head(CHUNKED, JSON_HEADER), chunk(body), LAST_CHUNK), 'invalid-request');
  });

  it('and JSON with white space around it is', async () => {
    expect((await post('\r\n\t {"a":1} \n', JSON_HEADER)).status).toBe(201);
  });

  it('and characters cut by a chunk are', async () => {
    const body = Buffer.from('{"a":"\u{1F6AA}"}');
    const parts = [chunk(body.subarray(0, 8)), chunk(body.subarray(8)), LAST_CHUNK];
    const { status, text } = await exchange(running.url, head(CHUNKED, JSON_HEADER), ...parts);
    expect(status).toBe(201);
    expect(JSON.parse(text)).toMatchObject({ a: '\u{1F6AA}' });
  });
});

describe('The content type', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json ; Charset="utf-8"',
  ])('may be %s', async (type) => {
    expect((await post('{}', `Content-Type: ${type}`)).status).toBe(201);
  });

  it.each([
    'text/plain',
    'text/json',
    'application/jsonp',
    'application/problem+json',
    'application/x-www-form-urlencoded',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application/json; charset=utf-80',
    'application/json; charset="utf-8',
    'application/json, application/json',
    '*/*',
    '',
  ])('may not be %j', async (type) => {
    const headers = await expectRefusal(post('{}', `Content-Type: ${type}`), 'unsupported-media-type');
    expect(headers['accept']).toBe('application/json');
  });

  it('has to be there for a body with a length, and for one in chunks', async () => {
    expect((await expectRefusal(post('{}'), 'unsupported-media-type'))['accept']).toBe('application/json');
    const chunked = exchange(running.url, head(CHUNKED), chunk('{}'), LAST_CHUNK);
    expect((await expectRefusal(chunked, 'unsupported-media-type'))['accept']).toBe('application/json');
  });
});

describe('The content encoding', () => {
  it.each(['identity', 'Identity'])('may be %s', async (encoding) => {
    expect((await post('{}', JSON_HEADER, `Content-Encoding: ${encoding}`)).status).toBe(201);
  });

  it.each([
    ['gzip', gzipSync('{}')],
    ['deflate', deflateSync('{}')],
    ['br', brotliCompressSync('{}')],
    ['GZIP', '{}'],
    ['gzip, identity', '{}'],
    ['x-unknown', '{}'],
  ])('may not be %s', async (encoding, body) => {
    const refused = post(body, JSON_HEADER, `Content-Encoding: ${encoding}`);
    const headers = await expectRefusal(refused, 'unsupported-media-type');
    expect(headers['accept-encoding']).toBe('identity');
  });
});

describe('The size of a body', () => {
  it('may be 65,536 bytes, with a length and in chunks', async () => {
    expect((await post(ofSize(MAX_BYTES), JSON_HEADER)).status).toBe(201);
    const chunks = [chunk(ofSize(MAX_BYTES).slice(0, 40_000)), chunk(ofSize(MAX_BYTES).slice(40_000)), LAST_CHUNK];
    expect((await exchange(running.url, head(CHUNKED, JSON_HEADER), ...chunks)).status).toBe(201);
  });

  it('may not be one byte more, also where the characters are fewer', async () => {
    await expectRefusal(post(ofSize(MAX_BYTES + 1), JSON_HEADER), 'payload-too-large');
    await expectRefusal(post(`{"a":"é${'x'.repeat(MAX_BYTES - 9)}"}`, JSON_HEADER), 'payload-too-large');
  });

  it.each([MAX_BYTES + 1, 1_000_000_000_000])(
    'is refused before any of the body is read where the length says %i',
    async (length) => {
      await expectRefusal(exchange(running.url, head(`Content-Length: ${length}`, JSON_HEADER)), 'payload-too-large');
    },
  );

  it('is refused in chunks once it is too large, before the body is over', async () => {
    const parts = [chunk('x'.repeat(40_000)), chunk('x'.repeat(40_000))];
    await expectRefusal(exchange(running.url, head(CHUNKED, JSON_HEADER), ...parts), 'payload-too-large');
  });
});

describe('A body that breaks off', () => {
  it.each([
    ['with a length', head('Content-Length: 100', JSON_HEADER) + '{"a":1}'],
    ['in chunks', head(CHUNKED, JSON_HEADER) + chunk('{"a":1}').toString()],
    ['within a chunk', `${head(CHUNKED, JSON_HEADER)}20\r\n{"a":1}`],
  ])('makes no booking: %s', async (_, bytes) => {
    await untilClosed(running.url, bytes, { halfClose: true });
    expect(await list()).toBe(before);
  });
});

describe('A body that is refused', () => {
  it('is never read as another request', async () => {
    const smuggled = head('Content-Length: 0').repeat(1_000);
    const next = 'GET /v1/bookings?limit=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    const bytes = head(`Content-Length: ${smuggled.length}`, JSON_HEADER) + smuggled + next;
    const received = await untilClosed(running.url, bytes);
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
    expect(await list()).toBe(before);
  });
});
