import { check, checksOf, type Statement } from '../check.js';
import type { Connection } from '../connection.js';
import type { OutgoingRequest, ReceivedBytes } from '../exchange.js';
import { expectReceived, expectStatuses } from '../expectations.js';
import { Failure } from '../failure.js';
import { aResource, aSlot } from '../fixtures.js';
import { expectProblem } from '../problems.js';
import { COLLECTION, type Headers, listOf, post, type Service } from '../service.js';
import { responds } from '../statements.js';

/** Maximum milliseconds between a time limit and its 408. */
const MAX_DELAY = 5_000;

const CLOSE_HEADER = { connection: 'close' };
/** The request that ends a pipeline: its 404 closes the connection. */
const LAST_REQUEST: OutgoingRequest<string> = { method: 'GET', target: '/v1/nothing', headers: CLOSE_HEADER };

const EMPTY_PAGE = /"bookings":\s*\[\s*\]/;

const listing = ({ resource_id }: { resource_id: string }, headers: Headers = {}): OutgoingRequest<string> => ({
  method: 'GET',
  target: listOf({ resource_id }),
  headers,
});

/** A GET of the collection without the line breaks at its end. */
const headOf = (connection: Connection): string => connection.bytesOf({ method: 'GET', target: COLLECTION }).trimEnd();

/** States that the service responds to each request with this status and closes the connection. */
const closes = (id: string, title: string, status: number, requests: (head: string) => readonly string[]): Statement =>
  check(id, title, async ({ connection }) => {
    for (const bytes of requests(headOf(connection))) expectStatuses(await connection.sendBytes(bytes), status);
  });

/** States that a request that never ends gets a 408 after `limit` milliseconds. */
const timesOut = (
  id: string,
  title: string,
  limit: number,
  bytesOf: (connection: Connection) => string,
): Statement => ({
  slow: true,
  ...check(id, title, async ({ connection }) => {
    const startedAt = Date.now();
    const received = await connection.sendBytes(bytesOf(connection), limit + MAX_DELAY);
    const waited = Date.now() - startedAt;
    expectStatuses(received, 408);
    if (waited < limit) throw new Failure(`408 after ${limit} ms`, `408 after ${waited} ms`, received.request);
  }),
});

export const connections = checksOf('The operations', 'interface', [
  check('operations.in-turn', 'requests on a connection are handled one by one, in order', async ({ connection }) => {
    const early = aSlot(aResource());
    const late = aSlot(aResource());
    const empty = await connection.pipeline(listing(early), post(JSON.stringify({ slot: early }), CLOSE_HEADER));
    expectStatuses(empty, 200, 201);
    expectReceived(empty, EMPTY_PAGE.test(empty.text), 'a list from before the create');
    const found = await connection.pipeline(post(JSON.stringify({ slot: late })), listing(late, CLOSE_HEADER));
    expectStatuses(found, 201, 200);
    expectReceived(found, !EMPTY_PAGE.test(found.text), 'a list from after the create');
  }),
  check('operations.close', 'no request after a response with Connection: close takes effect', async (service) => {
    const slot = aSlot(aResource());
    expectStatuses(await service.connection.pipeline(LAST_REQUEST, post(JSON.stringify({ slot }))), 404);
    await service.book({ slot });
  }),
  closes('operations.upgrade', '`Upgrade` is ignored, and the response closes the connection', 200, (head) => [
    `${head}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  ]),
  closes('operations.chunks', 'the response to a body in chunks closes the connection', 200, (head) => [
    `${head}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ]),
  closes('operations.target', 'a malformed request target is 400', 400, (head) =>
    ['#x', 'é'].map((end) => `${head.replace(COLLECTION, COLLECTION + end)}\r\n\r\n`),
  ),
]);

const expecting = ({ connection }: Service, headers: Headers, body = ''): Promise<ReceivedBytes> =>
  connection.pipeline(post(body, { ...CLOSE_HEADER, expect: '100-continue', ...headers }));

export const framing = checksOf('Errors', 'interface', [
  closes('problem.framing', 'ambiguous framing is 400 and closes the connection', 400, (head) => [
    `${head}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${head}\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} `,
    `${head}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    `${head}\r\nX-Folded: a\r\n b\r\n\r\n`,
    `${head}\r\nX-Bare: a\n\r\n\r\n`,
    `${head.replace(/\r\nhost: [^\r]*/, '')}\r\n\r\n`,
    `${head}\r\nHost: other\r\n\r\n`,
  ]),
  check('problem.content-types', 'two `Content-Type`s are 400 and leave the connection open', async (service) => {
    const types = ['application/json; charset=utf-8', 'text/plain'];
    for (const both of [types, types.toReversed()]) {
      const twice = post('{}', { 'content-type': both });
      expectProblem(await service.send(twice), 'invalid-request');
      expectStatuses(await service.connection.pipeline(twice, LAST_REQUEST), 400, 404);
    }
  }),
  check('problem.continue', '`Expect: 100-continue` gets its 100 before the body is read', async (service) => {
    expectStatuses(await expecting(service, {}, '{}'), 100, 201);
  }),
  check('problem.continue.rejected', 'a create rejected by steps 1 to 3 gets no 100', async (service) => {
    expectStatuses(await expecting(service, { 'content-length': '65537' }), 413);
    expectStatuses(await expecting(service, { 'content-length': '2', 'content-type': 'text/plain' }), 415);
    expectStatuses(await expecting(service, { 'content-length': '2', 'idempotency-key': 'a b' }), 400);
  }),
  check('problem.later-requests', 'a rejected body is never read as another request', async ({ connection }) => {
    const smuggled = connection.bytesOf({ method: 'POST', target: COLLECTION, body: '' });
    const body = smuggled.repeat(Math.ceil(70_000 / smuggled.length));
    const received = await connection.pipeline(post(body), LAST_REQUEST);
    const isKept = received.text.includes('/v1/nothing');
    expectStatuses(received, ...(isKept ? [413, 404] : [413]));
  }),
]);

export const limits = checksOf('Limits', 'interface', [
  closes('limit.expect', 'an unknown `Expect` is 417 and closes the connection', 417, (head) => [
    `${head}\r\nExpect: miracles\r\n\r\n`,
  ]),
  closes('limit.headers', 'headers of more than 16 KiB are 431 and close the connection', 431, (head) => [
    `${head}\r\nX-Long: ${'x'.repeat(17_000)}\r\n\r\n`,
  ]),
  responds('limit.headers.accepted', 'headers of less than 16 KiB are accepted', 200, [
    { headers: { 'x-long': 'x'.repeat(15_000) } },
  ]),
  check('limit.headers.number', '100 headers are accepted, more are 431', async ({ connection }) => {
    const head = `${headOf(connection)}\r\nConnection: close`;
    const lines = head.split('\r\n').length - 1;
    const withMany = (count: number): string => `${head}${'\r\nX-Many:'.repeat(count - lines)}\r\n\r\n`;
    expectStatuses(await connection.sendBytes(withMany(100)), 200);
    expectStatuses(await connection.sendBytes(withMany(101)), 431);
  }),
  timesOut(
    'limit.headers-time',
    'headers incomplete after 10 s are 408',
    10_000,
    (connection) => `${headOf(connection)}\r\n`,
  ),
  timesOut('limit.request-time', 'a request incomplete after 15 s is 408', 15_000, (connection) =>
    connection.bytesOf(post('{', { 'content-length': '100' })),
  ),
]);
