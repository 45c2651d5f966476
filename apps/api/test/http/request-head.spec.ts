import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  framingFault,
  idempotencyKeyOf,
  isOfOtherOrigin,
  originForm,
  pathOf,
  queryOf,
  requestIdOf,
} from '../../src/http/request-head.js';
import { Problem } from '../../src/http/problem.js';

const requestWith = (members: Partial<IncomingMessage>): IncomingMessage => {
  return { url: '/', method: 'GET', httpVersion: '1.1', headers: {}, rawHeaders: [], ...members } as IncomingMessage;
};

describe('framingFault', () => {
  const faultOf = (headers: IncomingMessage['headers'], members: Partial<IncomingMessage> = {}): string | undefined => {
    const { type, detail } =
      framingFault(requestWith({ headers: { host: 'localhost', ...headers }, ...members })) ?? {};
    return type && `${type}: ${detail}`;
  };

  it.each<[string, IncomingMessage['headers'], Partial<IncomingMessage>?]>([
    ['1,000 headers', {}, { rawHeaders: Array.from({ length: 2_000 }, () => '') }],
    ['HTTP/1.0', {}, { httpVersion: '1.0' }],
    ['HTTP/1.0 without Host', { host: undefined }, { httpVersion: '1.0' }],
    ['an empty Host', { host: '' }],
    ['a host and a port', { host: '[::1]:3000' }],
    ['a body in chunks', { 'transfer-encoding': 'Chunked' }],
    ['Expect: 100-continue', { expect: '100-Continue' }],
    ['any Expect in HTTP/1.0', { expect: 'more' }, { httpVersion: '1.0' }],
    ['OPTIONS of the server', {}, { method: 'OPTIONS', url: '*' }],
  ])('finds none in a request with %s', (_, headers, members = {}) =>
    expect(faultOf(headers, members)).toBeUndefined(),
  );

  it.each([
    [
      '1,001 headers',
      {},
      { rawHeaders: Array.from({ length: 2_002 }, () => '') },
      'headers-too-large: .* 1000 headers',
    ],
    ['another version', {}, { httpVersion: '0.9' }, 'invalid-request: .* not HTTP/1.1'],
    ['HTTP/2', {}, { httpVersion: '2.0' }, 'invalid-request: .* not HTTP/1.1'],
    ['no Host', { host: undefined }, {}, 'invalid-request: .* exactly one Host'],
    ['two', { host: 'a, b' }, {}, 'invalid-request: .* exactly one Host'],
    ['two in HTTP/1.0', { host: 'a, b' }, { httpVersion: '1.0' }, 'invalid-request: .* exactly one Host'],
    ['a path as Host', { host: 'a/b' }, {}, 'invalid-request: .* exactly one Host'],
    ['another coding', { 'transfer-encoding': 'gzip, chunked' }, {}, 'invalid-request: .* Transfer-Encoding'],
    [
      'chunks in HTTP/1.0',
      { 'transfer-encoding': 'chunked' },
      { httpVersion: '1.0' },
      'invalid-request: .* Transfer-Enc',
    ],
    ['a target without a slash', {}, { url: 'a' }, 'invalid-request: .* target'],
    ['another expectation', { expect: 'more' }, {}, 'expectation-failed: '],
  ])('finds the one in a request with %s', (_, headers, members, fault) => {
    expect(faultOf(headers, members)).toMatch(new RegExp(`^${fault}`));
  });
});

describe('originForm', () => {
  it.each([
    ['/', '/'],
    ['/a?b', '/a?b'],
    ['http://elsewhere', '/'],
    ['HTTPS://elsewhere:80/a?b', '/a?b'],
    ['http://elsewhere?b', '/?b'],
    ['http://[::1]/', '/'],
  ])('of %s is %s', (target, form) => expect(originForm(target, 'GET')).toBe(form));

  it.each([
    '',
    '*',
    'a',
    '/a#b',
    '/a b',
    '/é',
    'ftp://elsewhere/',
    'http:///a',
    'http://else where/',
    'http://else\\where/',
    'http://a:b/',
    'http://[/',
    'http://elsewhere/a#b',
  ])('there is none of "%s"', (target) => expect(originForm(target, 'GET')).toBeUndefined());
});

describe('A request target', () => {
  it.each([
    ['/a', '/a', ''],
    ['/a?b?c', '/a', 'b?c'],
    ['http://elsewhere/a?b', '/a', 'b'],
    ['a', '', ''],
  ])('%s has a path and a query', (url, path, query) => {
    expect([pathOf(requestWith({ url })), queryOf(requestWith({ url }))]).toEqual([path, query]);
  });
});

describe('isOfOtherOrigin', () => {
  const host = 'localhost:3000';

  it.each([
    ['no browser', {}, false],
    ['the same origin', { origin: 'http://localhost:3000' }, false],
    ['that behind a proxy with TLS', { origin: 'https://localhost:3000' }, false],
    ['another one', { origin: 'http://elsewhere' }, true],
    ['a file', { origin: 'null' }, true],
    ['the same site', { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' }, true],
    ['another site', { 'sec-fetch-site': 'cross-site' }, true],
    ['the same origin, as the browser says', { 'sec-fetch-site': 'same-origin', origin: 'http://elsewhere' }, false],
    ['the address bar', { 'sec-fetch-site': 'none' }, false],
  ])('by %s', (_, headers, isOther) => {
    expect(isOfOtherOrigin(requestWith({ headers: { host, ...headers } }))).toBe(isOther);
  });
});

describe('requestIdOf', () => {
  const NEW = /^[\da-f-]{36}$/;
  const responseTo = (given?: string): ServerResponse => {
    return { req: requestWith({ headers: { 'x-request-id': given } }) } as ServerResponse;
  };

  it.each(['a', '!~', 'x'.repeat(128)])("is the caller's: %s", (given) => {
    expect(requestIdOf(responseTo(given))).toBe(given);
  });

  it.each([undefined, '', 'a b', 'é', 'a\tb', 'x'.repeat(129)])('is a new one instead of %p', (given) => {
    expect(requestIdOf(responseTo(given))).toMatch(NEW);
  });

  it('stays the same', () => {
    const response = responseTo();
    expect(requestIdOf(response)).toBe(requestIdOf(response));
  });
});

describe('idempotencyKeyOf', () => {
  const keyOf = (key?: string): string | undefined => {
    return idempotencyKeyOf(requestWith({ headers: { ...(key !== undefined && { 'idempotency-key': key }) } }));
  };

  it.each([
    [undefined, undefined],
    ['a', 'a'],
    ['"a"', 'a'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
  ])('of %s', (given, key) => expect(keyOf(given)).toBe(key));

  it.each(['', '""', '"a', 'a"', 'a b', 'a, b', 'a\\b', 'é', 'x'.repeat(256)])('rejects %s', (given) => {
    expect(() => keyOf(given)).toThrow(Problem);
  });
});
