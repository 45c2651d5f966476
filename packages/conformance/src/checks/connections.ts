import { check, checksOf, type Statement } from '../check.js';
import { expectStatuses, expectThat, expectStatus } from '../expectations.js';
import { Failure } from '../failure.js';
import type { OutgoingRequest } from '../exchange.js';
import { aResource, aSlot } from '../inventions.js';
import { expectProblem } from '../problems.js';
import { row } from '../row.js';
import { COLLECTION, type Headers, listOf, post, type Service } from '../service.js';

/** Milliseconds: a limit may be looked at late, and the network takes its time. */
const LATE = 5_000;
const HEADERS_LIMIT = 10_000;
const REQUEST_LIMIT = 15_000;

const CLOSE = { connection: 'close' };
/** The last request of a pipeline. */
const LAST: OutgoingRequest = { method: 'GET', target: '/v1/nothing', headers: CLOSE };

/** A GET of the collection without the line that ends its head. */
const headOf = (service: Service): string => service.bytesOf({ method: 'GET', target: COLLECTION }).trimEnd();

/** A statement that each of these gets the status, and that the connection is closed then. */
const closes = (id: string, title: string, status: number, requests: (head: string) => readonly string[]): Statement =>
  check(id, title, async (service) => {
    for (const bytes of requests(headOf(service))) expectStatuses(await service.sendBytes(bytes), status);
  });

export const connections = checksOf('The operations', 'interface', [
  check(
    'operations.in-turn',
    'requests of one connection are handled one at a time, in the order in which they were sent',
    async (service) => {
      const [early, late] = [aSlot(aResource()), aSlot(aResource())];
      const [before, after] = [early, late].map(({ resource_id }) => ({
        method: 'GET',
        target: listOf({ resource_id }),
      }));
      const empty = await service.pipeline(before!, post(JSON.stringify({ slot: early }), CLOSE));
      expectStatuses(empty, 200, 201);
      if (!empty.includes('"bookings":[]')) throw new Failure('a list from before the create', empty);
      const found = await service.pipeline(post(JSON.stringify({ slot: late })), { ...after!, headers: CLOSE });
      expectStatuses(found, 201, 200);
      if (found.includes('"bookings":[]')) throw new Failure('a list from after the create', found);
    },
  ),
  check('operations.close', 'nothing after a response with Connection: close is carried out', async (service) => {
    const slot = aSlot(aResource());
    expectStatuses(await service.pipeline(LAST, post(JSON.stringify({ slot }))), 404);
    await service.book({ slot });
  }),
  closes('operations.upgrade', '`Upgrade` is ignored, and the response closes the connection', 200, (head) => [
    `${head}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  ]),
  closes('operations.chunks', 'the response to a body in chunks closes the connection', 200, (head) => [
    `${head}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ]),
  closes('operations.target', 'a request target that cannot be parsed is 400', 400, (head) =>
    ['#x', 'é'].map((end) => `${head.replace(COLLECTION, COLLECTION + end)}\r\n\r\n`),
  ),
]);

/** What comes back for a create whose body is sent only after the 100 of the service. */
const expecting = (service: Service, headers: Headers, body = ''): Promise<string> =>
  service.pipeline(post(body, { ...CLOSE, expect: '100-continue', ...headers }));

export const framing = checksOf('Errors', 'interface', [
  closes(
    'problem.framing',
    'framing that two readers could understand as different requests is 400, and the connection is closed',
    400,
    (head) => [
      `${head}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `${head}\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} `,
      `${head}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
      `${head}\r\nX-Folded: a\r\n b\r\n\r\n`,
      `${head}\r\nX-Bare: a\n\r\n\r\n`,
      `${head.replace(/\r\nhost: [^\r]*/, '')}\r\n\r\n`,
      `${head}\r\nHost: other\r\n\r\n`,
    ],
  ),
  check(
    'problem.content-types',
    'two `Content-Type`s are 400, whichever comes first, and the connection is kept open',
    async (service) => {
      const types = ['application/json; charset=utf-8', 'text/plain'];
      for (const both of [types, types.toReversed()]) {
        const twice = post('{}', { 'content-type': both });
        expectProblem(await service.send(twice), 'invalid-request');
        expectStatuses(await service.pipeline(twice, LAST), 400, 404);
      }
    },
  ),
  check('problem.continue', '`Expect: 100-continue` gets its 100, and then the body is read', async (service) => {
    expectStatuses(await expecting(service, {}, '{}'), 100, 201);
  }),
  check(
    'problem.continue.rejected',
    'a body that is too large, of another type or under an invalid key is rejected without a 100',
    async (service) => {
      expectStatuses(await expecting(service, { 'content-length': '65537' }), 413);
      expectStatuses(await expecting(service, { 'content-length': '2', 'content-type': 'text/plain' }), 415);
      expectStatuses(await expecting(service, { 'content-length': '2', 'idempotency-key': 'a b' }), 400);
    },
  ),
  check('problem.later-requests', 'a body that is rejected is never read as another request', async (service) => {
    const smuggled = service.bytesOf({ method: 'POST', target: COLLECTION, body: '' });
    const body = smuggled.repeat(Math.ceil(70_000 / smuggled.length));
    expectStatuses(await service.pipeline(post(body), LAST), 413, 404);
  }),
]);

export const limits = checksOf('Limits', 'interface', [
  closes('limit.expect', 'an Expect that is not known is 417, and the connection is closed', 417, (head) => [
    `${head}\r\nExpect: miracles\r\n\r\n`,
  ]),
  closes('limit.headers', 'headers of more than 16 KiB are 431, and the connection is closed', 431, (head) => [
    `${head}\r\nX-Long: ${'x'.repeat(17_000)}\r\n\r\n`,
  ]),
  row('limit.headers.accepted', 'headers of less than 16 KiB are read', 200, [
    { headers: { 'x-long': 'x'.repeat(15_000) } },
  ]),
  check('limit.headers.number', 'a request may have 100 headers; more are 431, and closed', async (service) => {
    const head = `${headOf(service)}\r\nConnection: close`;
    const lines = head.split('\r\n').length - 1;
    const withMany = (count: number): string => `${head}${'\r\nX-Many:'.repeat(count - lines)}\r\n\r\n`;
    expectStatuses(await service.sendBytes(withMany(100)), 200);
    expectStatuses(await service.sendBytes(withMany(101)), 431);
  }),
  {
    slow: true,
    ...check('limit.headers-time', 'headers that take more than 10 s are 408', async (service) => {
      const startedAt = Date.now();
      expectStatuses(await service.sendBytes(`${headOf(service)}\r\n`, HEADERS_LIMIT + LATE), 408);
      const waited = Date.now() - startedAt;
      if (waited < HEADERS_LIMIT) throw new Failure(`408 after ${HEADERS_LIMIT} ms`, `408 after ${waited} ms`);
    }),
  },
  {
    slow: true,
    ...check('limit.request-time', 'a request that takes more than 15 s is 408', async (service) => {
      const startedAt = Date.now();
      const request = { ...post('{', { 'content-length': '100' }), unfinished: true };
      const response = await service.send(request, REQUEST_LIMIT + LATE);
      const waited = Date.now() - startedAt;
      expectStatus(response, 408);
      expectThat(response, waited >= REQUEST_LIMIT, `408 after ${REQUEST_LIMIT} ms`, `408 after ${waited} ms`);
    }),
  },
]);
