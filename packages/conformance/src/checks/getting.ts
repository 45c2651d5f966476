import { randomUUID } from 'node:crypto';
import { checksOf } from '../check.js';
import type { ReceivedResponse } from '../exchange.js';
import { expectHeader, expectSame, expectStatus, expectText } from '../expectations.js';
import { expectProblem } from '../problems.js';
import { readBooking } from '../reading.js';
import { COLLECTION, pathOf } from '../service.js';

/** Every character of an id as an escape. */
const escaped = (id: string): string =>
  Array.from(Buffer.from(id), (byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');

export const getting = checksOf('Getting one', 'interface', [
  {
    id: 'get.escaped',
    title: 'the id is compared after percent-decoding',
    writes: false,
    run: async (service) => {
      const id = await service.anId();
      const response = await service.get(`${COLLECTION}/${escaped(id)}`);
      expectSame(response, 'booking_id', readBooking(response).booking_id, id);
    },
  },
  {
    id: 'get.exact',
    title: 'the id is compared exactly',
    writes: false,
    run: async (service) => {
      const id = await service.anId();
      const spellings = [id.toUpperCase(), id.toLowerCase(), id.replaceAll('-', '')].filter(
        (spelling) => spelling !== id,
      );
      for (const other of [
        ...spellings,
        `urn:uuid:${id}`,
        `${id} `,
        ` ${id}`,
        `${id}\0`,
        `${id}\n`,
        `{${id}}`,
        `"${id}"`,
      ]) {
        expectProblem(await service.get(pathOf(other)), 'booking-not-found');
      }
    },
  },
  {
    id: 'get.not-found',
    title: 'no booking with this id: 404 booking-not-found, whatever the id looks like',
    writes: false,
    run: async (service) => {
      const odd = [
        'nothing',
        '0',
        '%00',
        '%20',
        '%2F',
        '%2E%2E',
        '%E2%82%AC',
        '*',
        ':booking_id',
        'null',
        '__proto__',
        'constructor',
      ];
      for (const id of [randomUUID(), ...odd, 'x'.repeat(8_000)]) {
        expectProblem(await service.get(`${COLLECTION}/${id}`), 'booking-not-found');
      }
    },
  },
  {
    id: 'get.bad-escape',
    title: 'an escape that is not UTF-8: 400',
    writes: false,
    run: async (service) => {
      for (const escape of ['%FF', '%C3', '%C0%80', '%ED%A0%80', 'a%E9b']) {
        expectProblem(await service.get(`${COLLECTION}/${escape}`), 'invalid-request');
      }
    },
  },
  {
    id: 'get.query',
    title: 'query parameters of a get are ignored',
    writes: false,
    run: async (service) => {
      readBooking(await service.get(`${pathOf(await service.anId())}?limit=0&page=2&x=%FF`));
    },
  },
  {
    id: 'get.etag',
    title: 'the ETag is the booking_id in double quotes',
    writes: false,
    run: async (service) => {
      const id = await service.anId();
      expectHeader(await service.get(pathOf(id)), 'etag', `"${id}"`);
    },
  },
  {
    id: 'get.not-modified',
    title: 'with If-None-Match and this tag (also weak, in a list, or *) the response is 304 without a body',
    writes: false,
    run: async (service) => {
      const id = await service.anId();
      for (const tags of [`"${id}"`, `W/"${id}"`, '*', `"other", W/"x", "${id}"`, `"${id}","other"`]) {
        const response = await service.get(pathOf(id), { 'if-none-match': tags });
        expectStatus(response, 304);
        expectText(response, '');
        expectHeader(response, 'etag', `"${id}"`);
      }
    },
  },
  {
    id: 'get.not-modified.head',
    title: 'HEAD with If-None-Match is as GET: 304, or 200',
    writes: false,
    run: async (service) => {
      const id = await service.anId();
      const head = (tag: string): Promise<ReceivedResponse> =>
        service.send({ method: 'HEAD', target: pathOf(id), headers: { 'if-none-match': tag } });
      expectStatus(await head(`"${id}"`), 304);
      expectStatus(await head('"other"'), 200);
    },
  },
  {
    id: 'get.not-modified.no-cache',
    title: 'the response is 304 also with Cache-Control: no-cache',
    writes: false,
    run: async (service) => {
      const id = await service.anId();
      const headers = { 'if-none-match': `"${id}"`, 'cache-control': 'no-cache', pragma: 'no-cache' };
      expectStatus(await service.get(pathOf(id), headers), 304);
    },
  },
  {
    id: 'get.modified',
    title: 'with another tag the booking is sent whole',
    writes: false,
    run: async (service) => {
      const id = await service.anId();
      for (const tags of ['"other"', id, `"${id}x"`, `"${id.slice(0, -1)}"`, '""', '"other", "*"']) {
        readBooking(await service.get(pathOf(id), { 'if-none-match': tags }));
      }
    },
  },
  {
    id: 'get.not-found.conditional',
    title: 'no booking with this id: 404 also with If-None-Match',
    writes: false,
    run: async (service) => {
      const response = await service.get(pathOf(randomUUID()), { 'if-none-match': '*' });
      expectProblem(response, 'booking-not-found');
    },
  },
]);
