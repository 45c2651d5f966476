import { randomUUID } from 'node:crypto';
import { check, checksOf } from '../check.js';
import { expectHeader, expectSame, expectStatus, expectText } from '../expectations.js';
import { readBooking } from '../reading.js';
import { row } from '../row.js';
import { COLLECTION, type Headers, pathOf } from '../service.js';

/** Every character of an id as an escape. */
const escaped = (id: string): string =>
  Array.from(Buffer.from(id), (byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');

const NO_IDS = [randomUUID(), 'x'.repeat(8_000), 'nothing', '0', '*', ':booking_id', 'null', '__proto__'];
const NO_ESCAPED_IDS = ['%00', '%20', '%2F', '%2E%2E', '%E2%82%AC', '%63onstructor'];

const getOne = (id: string, headers: Headers) => ({ target: pathOf(id), headers });

export const getting = checksOf('Getting one', 'interface', [
  check('get.escaped', 'the id is compared after percent-decoding', async (service) => {
    const id = await service.anId();
    const response = await service.get(`${COLLECTION}/${escaped(id)}`);
    expectSame(response, 'booking_id', readBooking(response).booking_id, id);
  }),
  row('get.exact', 'the id is compared exactly', 'booking-not-found', (id) => {
    const spellings = [id.toUpperCase(), id.toLowerCase(), id.replaceAll('-', '')].filter((other) => other !== id);
    const wrapped = [`urn:uuid:${id}`, `${id} `, ` ${id}`, `${id}\0`, `${id}\n`, `{${id}}`, `"${id}"`];
    return [...spellings, ...wrapped].map((other) => `GET ${pathOf(other)}`);
  }),
  row(
    'get.not-found',
    'no booking with this id: 404 booking-not-found, whatever the id looks like',
    'booking-not-found',
    [...NO_IDS, ...NO_ESCAPED_IDS].map((id) => `GET /v1/bookings/${id}`),
  ),
  row(
    'get.bad-escape',
    'an escape that is not UTF-8: 400',
    'invalid-request',
    ['%FF', '%C3', '%C0%80', '%ED%A0%80', 'a%E9b'].map((escape) => `GET /v1/bookings/${escape}`),
  ),
  row('get.query', 'query parameters of a get are ignored', 'success', (id) => [
    `GET ${pathOf(id)}?limit=0&page=2&x=%FF`,
  ]),
  check('get.etag', 'the ETag is the booking_id in double quotes', async (service) => {
    const id = await service.anId();
    expectHeader(await service.getOne(id), 'etag', `"${id}"`);
  }),
  check(
    'get.not-modified',
    'with If-None-Match and this tag (also weak, in a list, or *) the response is 304 without a body',
    async (service) => {
      const id = await service.anId();
      for (const tags of [`"${id}"`, `W/"${id}"`, '*', `"other", W/"x", "${id}"`, `"${id}","other"`]) {
        const response = await service.getOne(id, { 'if-none-match': tags });
        expectStatus(response, 304);
        expectText(response, '');
        expectHeader(response, 'etag', `"${id}"`);
      }
    },
  ),
  check('get.not-modified.head', 'HEAD with If-None-Match is as GET: 304, or 200', async (service) => {
    const id = await service.anId();
    const head = { method: 'HEAD', target: pathOf(id) };
    expectStatus(await service.send({ ...head, headers: { 'if-none-match': `"${id}"` } }), 304);
    expectStatus(await service.send({ ...head, headers: { 'if-none-match': '"other"' } }), 200);
  }),
  row('get.not-modified.no-cache', 'the response is 304 also with Cache-Control: no-cache', 304, (id) => [
    getOne(id, { 'if-none-match': `"${id}"`, 'cache-control': 'no-cache', pragma: 'no-cache' }),
  ]),
  row('get.modified', 'with another tag the booking is sent whole', 200, (id) =>
    ['"other"', id, `"${id}x"`, `"${id.slice(0, -1)}"`, '""', '"other", "*"'].map((tags) =>
      getOne(id, { 'if-none-match': tags }),
    ),
  ),
  row('get.not-found.conditional', 'no booking with this id: 404 also with If-None-Match', 'booking-not-found', [
    getOne(randomUUID(), { 'if-none-match': '*' }),
  ]),
]);
