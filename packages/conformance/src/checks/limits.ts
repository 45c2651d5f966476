import { checksOf } from '../check.js';
import { expectStatus, expectStatuses, expectThat } from '../expectations.js';
import { Failure } from '../failure.js';
import { COLLECTION, JSON_HEADERS } from '../service.js';

/** Milliseconds: a limit may be looked at late, and the network takes its time. */
const LATE = 5_000;
const HEADERS_LIMIT = 10_000;
const REQUEST_LIMIT = 15_000;

export const limits = checksOf('Limits', 'interface', [
  {
    id: 'limit.not-http',
    title: 'what is not HTTP is 400',
    writes: false,
    run: async ({ connection }) => expectStatuses(await connection.sendBytes('NO HTTP\r\n\r\n'), 400),
  },
  {
    id: 'limit.expect',
    title: 'an Expect that is not known is 417',
    writes: false,
    run: async (service) => {
      const response = await service.get(COLLECTION, { expect: 'miracles' });
      expectStatus(response, 417);
    },
  },
  {
    id: 'limit.headers',
    title: 'headers of more than 16 KiB are 431',
    writes: false,
    run: async (service) => {
      const response = await service.get(COLLECTION, { 'x-long': 'x'.repeat(17_000) });
      expectStatus(response, 431);
    },
  },
  {
    id: 'limit.headers.taken',
    title: 'headers of less than 16 KiB are read',
    writes: false,
    run: async (service) => expectStatus(await service.get(COLLECTION, { 'x-long': 'x'.repeat(15_000) }), 200),
  },
  {
    id: 'limit.headers-time',
    title: 'headers that take more than 10 s are 408',
    writes: false,
    slow: true,
    run: async ({ connection }) => {
      const start = `GET ${COLLECTION} HTTP/1.1\r\nHost: ${connection.host}\r\n`;
      const startedAt = Date.now();
      expectStatuses(await connection.sendBytes(start, HEADERS_LIMIT + LATE), 408);
      const waited = Date.now() - startedAt;
      if (waited < HEADERS_LIMIT) throw new Failure(`408 after ${HEADERS_LIMIT} ms`, `408 after ${waited} ms`);
    },
  },
  {
    id: 'limit.request-time',
    title: 'a request that takes more than 15 s is 408',
    writes: true,
    slow: true,
    run: async (service) => {
      const headers = { ...JSON_HEADERS, 'content-length': '100' };
      const startedAt = Date.now();
      const request = { method: 'POST', headers, body: '{', unfinished: true };
      const response = await service.send(request, REQUEST_LIMIT + LATE);
      const waited = Date.now() - startedAt;
      expectStatus(response, 408);
      expectThat(response, waited >= REQUEST_LIMIT, `408 after ${REQUEST_LIMIT} ms`, `408 after ${waited} ms`);
    },
  },
]);
