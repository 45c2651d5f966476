import { randomUUID } from 'node:crypto';
import { check, checksOf } from '../check.js';
import { expectHeader, expectSame, expectStatus, expectText } from '../expectations.js';
import { readBooking } from '../reading.js';
import { COLLECTION, type Headers, pathOf } from '../service.js';
import { requests, responds } from '../statements.js';

const escaped = (id: string): string =>
  Array.from(Buffer.from(id), (byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');

const UNKNOWN_IDS = [randomUUID(), 'x'.repeat(8_000), 'nothing', '0', '*', ':booking_id', 'null', '__proto__'];
const ESCAPED_IDS = ['%00', '%20', '%2F', '%2E%2E', '%E2%82%AC', '%63onstructor'];
const BAD_ESCAPES = ['%FF', '%C3', '%C0%80', '%ED%A0%80', 'a%E9b'];

const unescaped = (id: string) => `GET ${COLLECTION}/${id}`;
const getOne = (id: string, headers: Headers) => ({ target: pathOf(id), headers });

export const getting = checksOf('Getting one', 'interface', [
  check('get.escaped', 'the id is compared after percent-decoding', async (service) => {
    const id = await service.anId();
    const response = await service.get(`${COLLECTION}/${escaped(id)}`);
    expectSame(response, 'booking_id', readBooking(response).booking_id, id);
  }),
  responds('get.exact', 'the id is compared exactly', 'booking-not-found', (id) => {
    const spellings = [id.toUpperCase(), id.toLowerCase(), id.replaceAll('-', '')].filter((other) => other !== id);
    const wrapped = [`urn:uuid:${id}`, `${id} `, ` ${id}`, `${id}\0`, `${id}\n`, `{${id}}`, `"${id}"`];
    return requests(['GET'], ...[...spellings, ...wrapped].map(pathOf));
  }),
  responds('get.not-found', 'an unknown id is 404, whatever it looks like', 'booking-not-found', [
    ...UNKNOWN_IDS.map(unescaped),
    ...ESCAPED_IDS.map(unescaped),
  ]),
  responds('get.bad-escape', 'an escape that is not UTF-8 is 400', 'invalid-request', BAD_ESCAPES.map(unescaped)),
  responds('get.query', 'query parameters of a get are ignored', 'success', (id) => [
    `GET ${pathOf(id)}?limit=0&page=2&x=%FF`,
  ]),
  check('get.etag', 'the `ETag` is the `booking_id` in double quotes', async (service) => {
    const id = await service.anId();
    expectHeader(await service.getOne(id), 'etag', `"${id}"`);
  }),
  check('get.not-modified', 'if `If-None-Match` has this tag, the response is 304 without a body', async (service) => {
    const id = await service.anId();
    for (const tags of [`"${id}"`, `W/"${id}"`, '*', `"other", W/"x", "${id}"`, `"${id}","other"`]) {
      for (const method of ['GET', 'HEAD']) {
        const response = await service.send({ method, ...getOne(id, { 'if-none-match': tags }) });
        expectStatus(response, 304);
        expectText(response, '');
        expectHeader(response, 'etag', `"${id}"`);
      }
    }
  }),
  responds('get.not-modified.no-cache', '`Cache-Control: no-cache` does not prevent the 304', 304, (id) => [
    getOne(id, { 'if-none-match': `"${id}"`, 'cache-control': 'no-cache', pragma: 'no-cache' }),
  ]),
  responds('get.modified', 'if `If-None-Match` has another tag, the response is 200', 200, (id) =>
    ['"other"', id, `"${id}x"`, `"${id.slice(0, -1)}"`, '""', '"other", "*"'].map((tags) =>
      getOne(id, { 'if-none-match': tags }),
    ),
  ),
  responds('get.not-found.conditional', 'an unknown id is 404 even with `If-None-Match`', 'booking-not-found', [
    getOne(randomUUID(), { 'if-none-match': '*' }),
  ]),
]);
