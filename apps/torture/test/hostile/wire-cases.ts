const POST = 'POST /v1/bookings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
const LENGTH = 'Content-Length: 7\r\n';
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const BODY = '{"a":1}';
const CHUNKS = `7\r\n${BODY}\r\n0\r\n\r\n`;
const GET = 'GET /v1/bookings HTTP/1.1\r\n';
const HOST = 'Host: localhost\r\n';

/** A request in bytes that no other reading than ours may come to, and the statuses of its responses. */
export type WireCase = [what: string, bytes: string, ...statuses: number[]];

/** Values of which each is rejected. */
const bad = (what: string, values: string[], bytesWith: (value: string) => string): WireCase[] =>
  values.map((value) => [`the ${what} ${JSON.stringify(value)}`, bytesWith(value), 400]);

const CODINGS = ['xchunked', 'identity', 'chunked, identity', 'identity, chunked', 'gzip, chunked', ', chunked'].concat(
  ['chunked, chunked', '"chunked"', 'chunked;q=1', 'chunked\x0b', 'chunked\0', '\xa0chunked', ''],
);
const LENGTHS = ['7, 7', '+7', '-7', '0x7', '7 7', '7.0', '', '99999999999999999999999', '7;', "'7'"];
const SIZES = ['0x7', '-7', ' 7', '7 ', '+7', 'fffffffffffffffff', 'g', '7;a=\0', '7\n', '8', '6', ''];
const HOSTS = ['a b', 'a,b', 'a/b', 'user@a', 'a?b', 'a\xff'];

/** Request targets of every form of RFC 9112 §3.2, and of none. */
const targets: [target: string, status: number][] = [
  ['GET /v1/bookings#fragment', 400],
  ['GET //[/v1/bookings', 404],
  ['GET /v1/bookings/http://[/', 404],
  ['GET HTTP://EXAMPLE.COM:8080/v1/bookings?limit=1', 200],
  ['GET https://[::1]:80/v1/bookings?limit=1', 200],
  ['GET http://example.com?limit=1', 404],
  ['GET http://[::1/v1/bookings', 400],
  ['GET http://a:99999/v1/bookings', 400],
  ['GET http://user@a/v1/bookings', 400],
  ['GET http:///v1/bookings', 400],
  ['GET foo://bar/v1/bookings', 400],
  ['GET localhost:1', 400],
  ['OPTIONS *', 204],
  ['POST *', 400],
  ['GET v1/bookings', 400],
  ['GET /v1/bookings/%zz', 400],
];

/** The shapes of request smuggling (RFC 9112 §11.2) and what else a parser may read in two ways. */
export const wireCases: WireCase[] = [
  ['a length and chunks', `${POST}${LENGTH}${CHUNKED}\r\n${CHUNKS}`, 400],
  ['chunks and a length', `${POST}${CHUNKED}${LENGTH}\r\n${CHUNKS}`, 400],
  ['two lengths', `${POST}${LENGTH}Content-Length: 9\r\n\r\n${BODY}`, 400],
  ['the same length twice', `${POST}${LENGTH}${LENGTH}\r\n${BODY}`, 400],
  ...targets.map(([line, status]): WireCase => [line, `${line} HTTP/1.1\r\n${HOST}\r\n`, status]),
  ...bad('length', LENGTHS, (length) => `${POST}Content-Length: ${length}\r\n\r\n${BODY}`),
  ...bad('transfer coding', CODINGS, (coding) => `${POST}Transfer-Encoding: ${coding}\r\n\r\n${CHUNKS}`),
  ['two transfer codings', `${POST}Transfer-Encoding: identity\r\n${CHUNKED}\r\n${CHUNKS}`, 400],
  ['chunked twice', `${POST}${CHUNKED}${CHUNKED}\r\n${CHUNKS}`, 400],
  ['a space before the colon', `${POST}Transfer-Encoding : chunked\r\n\r\n${CHUNKS}`, 400],
  ['chunks in HTTP/1.0', `${POST.replace('/1.1', '/1.0')}${CHUNKED}\r\n${CHUNKS}`, 400],
  ['a folded header', `${POST}X-A: b\r\n c\r\n${LENGTH}\r\n${BODY}`, 400],
  ['a folded transfer coding', `${POST}Transfer-Encoding:\r\n chunked\r\n\r\n${CHUNKS}`, 400],
  ['a fold before the first header', `POST /v1/bookings HTTP/1.1\r\n ${HOST}\r\n`, 400],
  ['bare line feeds', `${POST}${LENGTH}\r\n${BODY}`.replaceAll('\r\n', '\n'), 400],
  ['one bare line feed', `${POST}X-A: b\n${LENGTH}\r\n${BODY}`, 400],
  ['a bare carriage return', `${POST}X-A: b\r${LENGTH}\r\n${BODY}`, 400],
  ['a chunk that ends in a line feed', `${POST}${CHUNKED}\r\n7\n${BODY}\n0\n\n`, 400],
  ...bad('chunk size', SIZES, (size) => `${POST}${CHUNKED}\r\n${size}\r\n${BODY}\r\n0\r\n\r\n`),
  ['chunk extensions', `${POST}${CHUNKED}\r\n7;a=b;c="d"\r\n${BODY}\r\n0;e\r\n\r\n`, 201],
  ['a chunk extension in a line feed', `${POST}${CHUNKED}\r\n7;a\n${BODY}\r\n0\r\n\r\n`, 400],
  ['a large chunk extension', `${POST}${CHUNKED}\r\n7;a=${'x'.repeat(20_000)}\r\n${BODY}\r\n0\r\n\r\n`, 413],
  ['a length in the trailer', `${POST}${CHUNKED}\r\n7\r\n${BODY}\r\n0\r\nContent-Length: 3\r\n\r\n`, 400],
  ['two hosts', `${GET}Host: a\r\nHost: b\r\n\r\n`, 400],
  ['the same host twice', `${GET}${HOST}${HOST}\r\n`, 400],
  ['no host', `${GET}\r\n`, 400],
  ...bad('host', HOSTS, (host) => `${GET}Host: ${host}\r\n\r\n`),
  ['two content types', `${POST}Content-Type: text/plain\r\n${LENGTH}\r\n${BODY}`, 400],
  ['an expectation that is not known', `${POST}Expect: more\r\n${LENGTH}\r\n${BODY}`, 417],
  ['a NUL in a header', `${GET}${HOST}X-A: a\0b\r\n\r\n`, 400],
  ['a NUL in the path', `GET /v1/book\0ings HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['bytes in the path', `GET /v1/bookings/\xff\xfe HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['a header without a colon', `${GET}${HOST}nothing\r\n\r\n`, 400],
  ['an unknown method', `BOOK /v1/bookings HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['HTTP/0.9', 'GET /v1/bookings\r\n\r\n', 400],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['HTTP/2.0 in HTTP/1.1', `GET /v1/bookings HTTP/2.0\r\n${HOST}\r\n`, 400],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ['a long path', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`, 431],
  ['CONNECT', `CONNECT localhost:1 HTTP/1.1\r\n${HOST}\r\n`],
  ['a fault after a whole request', `${POST}${LENGTH}\r\n${BODY}\0`, 201],
  ['two requests', `${GET}${HOST}\r\n${POST}${LENGTH}\r\n${BODY}`, 200, 201],
];
