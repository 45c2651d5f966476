import { checksOf } from '../check.js';
import { expectStatus, expectStatuses, expectThat } from '../expectations.js';
import { Failure } from '../failure.js';
import type { OutgoingRequest } from '../exchange.js';
import { COLLECTION, type Headers, JSON_HEADERS } from '../service.js';

/** Milliseconds: a limit may be looked at late, and the network takes its time. */
const LATE = 5_000;
const HEADERS_LIMIT = 10_000;
const REQUEST_LIMIT = 15_000;

const CLOSE = { connection: 'close' };

const listWith = (headers: Headers): OutgoingRequest => ({ method: 'GET', target: `${COLLECTION}?limit=1`, headers });

export const limits = checksOf('Limits', 'interface', [
  {
    id: 'limit.not-http',
    title: 'what is not HTTP is 400, and the connection is closed',
    writes: false,
    run: async ({ connection }) => expectStatuses(await connection.sendBytes('NO HTTP\r\n\r\n'), 400),
  },
  {
    id: 'limit.expect',
    title: 'an Expect that is not known is 417, and the connection is closed',
    writes: false,
    run: async (service) => expectStatuses(await service.pipeline([listWith({ expect: 'miracles' })]), 417),
  },
  {
    id: 'limit.headers',
    title: 'headers of more than 16 KiB are 431, and the connection is closed',
    writes: false,
    run: async (service) => {
      expectStatuses(await service.pipeline([listWith({ 'x-long': 'x'.repeat(17_000) })]), 431);
    },
  },
  {
    id: 'limit.headers.accepted',
    title: 'headers of less than 16 KiB are read',
    writes: false,
    run: async (service) => expectStatus(await service.get(COLLECTION, { 'x-long': 'x'.repeat(15_000) }), 200),
  },
  {
    id: 'limit.headers.number',
    title: 'a request may have 1,000 headers; with more it is 431, and the connection is closed',
    writes: false,
    run: async (service) => {
      const lines = service.connection
        .bytesOf(listWith({ ...CLOSE, 'x-many': [] }))
        .trimEnd()
        .split('\r\n').length;
      const withMany = (count: number) => listWith({ ...CLOSE, 'x-many': Array<string>(count - lines + 1).fill('') });
      expectStatuses(await service.pipeline([withMany(1_000)]), 200);
      expectStatuses(await service.pipeline([withMany(1_001)]), 431);
    },
  },
  {
    id: 'limit.pipeline',
    title: 'of requests that are sent at once, one is handled and 16 wait',
    writes: false,
    run: async (service) => {
      const requests = Array.from({ length: 17 }, (_, index) => listWith(index === 16 ? CLOSE : {}));
      expectStatuses(await service.pipeline(requests), ...requests.map(() => 200));
    },
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
