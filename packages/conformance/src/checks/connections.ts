import { checksOf } from '../check.js';
import { expectStatuses } from '../expectations.js';
import { Failure } from '../failure.js';
import { aResource, aSlot } from '../inventions.js';
import { expectProblem } from '../problems.js';
import { readBooking } from '../reading.js';
import { COLLECTION, JSON_HEADERS, type Service } from '../service.js';

const CLOSE = { connection: 'close' };

export const connections = checksOf('The operations', 'interface', [
  {
    id: 'operations.in-turn',
    title: 'requests of one connection are handled one at a time, in the order in which they were sent',
    writes: true,
    run: async (service) => {
      const slot = aSlot(aResource());
      const create = { method: 'POST', target: COLLECTION, headers: JSON_HEADERS, body: JSON.stringify({ slot }) };
      const target = `${COLLECTION}?resource_id=${encodeURIComponent(slot.resource_id)}`;
      const list = { method: 'GET', target };
      const received = await service.pipeline([list, create, create, { ...list, headers: CLOSE }]);
      expectStatuses(received, 200, 201, 409, 200);
      const [before, after] = [received.indexOf('"bookings":[]'), received.lastIndexOf(slot.resource_id)];
      const isSeen = before !== -1 && after > received.lastIndexOf('HTTP/1.');
      if (!isSeen) throw new Failure('a list without the booking, and after its create one with it', received);
    },
  },
  {
    id: 'operations.close',
    title: 'after a response with Connection: close, nothing more of the connection is carried out',
    writes: true,
    run: async (service) => {
      const slot = aSlot(aResource());
      const create = { method: 'POST', target: COLLECTION, headers: JSON_HEADERS, body: JSON.stringify({ slot }) };
      const received = await service.pipeline([{ method: 'GET', target: '/v1/nothing', headers: CLOSE }, create]);
      expectStatuses(received, 404);
      readBooking(await service.create({ slot }));
    },
  },
  {
    id: 'operations.upgrade',
    title: '`Upgrade` is ignored, and the response closes the connection',
    writes: false,
    run: async (service) => {
      const headers = { connection: 'Upgrade', upgrade: 'websocket' };
      expectStatuses(await service.pipeline([{ method: 'GET', target: '/v1/nothing', headers }]), 404);
    },
  },
  {
    id: 'operations.target',
    title: 'a request target that cannot be parsed is 400',
    writes: false,
    run: async ({ connection }) => {
      for (const end of ['#x', 'é']) {
        const bytes = connection.bytesOf({ method: 'GET', target: COLLECTION + end, headers: CLOSE });
        expectStatuses(await connection.sendBytes(bytes), 400);
      }
    },
  },
]);

/** The head of a create whose body is sent only after the 100 of the service. */
const expecting = (service: Service, headers: Record<string, string>, body?: string): Promise<string> => {
  const all = { ...JSON_HEADERS, ...CLOSE, expect: '100-continue', ...headers };
  return service.pipeline([{ method: 'POST', target: COLLECTION, headers: all, ...(body !== undefined && { body }) }]);
};

export const framing = checksOf('Errors', 'interface', [
  {
    id: 'problem.framing',
    title: 'framing that two readers could understand as different requests is 400, and the connection is closed',
    writes: false,
    run: async ({ connection }) => {
      const head = connection.bytesOf({ method: 'GET', target: COLLECTION }).trimEnd();
      for (const bytes of [
        `${head}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
        `${head}\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} `,
        `${head}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
        `${head}\r\nX-Folded: a\r\n b\r\n\r\n`,
        `${head}\r\nX-Bare: a\n\r\n\r\n`,
        `${head.replace(/\r\nhost: [^\r]*/, '')}\r\n\r\n`,
        `${head}\r\nHost: other\r\n\r\n`,
      ]) {
        expectStatuses(await connection.sendBytes(bytes), 400);
      }
    },
  },
  {
    id: 'problem.content-types',
    title: 'two `Content-Type`s are 400, whichever comes first, and the connection is kept open',
    writes: true,
    run: async (service) => {
      for (const types of [
        ['application/json', 'text/plain'],
        ['text/plain', 'application/json'],
      ]) {
        expectProblem(await service.post('{}', { 'content-type': types }), 'invalid-request');
        const twice = { method: 'POST', target: COLLECTION, headers: { 'content-type': types }, body: '{}' };
        const next = { method: 'GET', target: '/v1/nothing', headers: CLOSE };
        expectStatuses(await service.pipeline([twice, next]), 400, 404);
      }
    },
  },
  {
    id: 'problem.continue',
    title: '`Expect: 100-continue` gets its 100, and then the body is read',
    writes: true,
    run: async (service) => expectStatuses(await expecting(service, {}, '{}'), 100, 201),
  },
  {
    id: 'problem.continue.rejected',
    title: 'a body that is too large, of another type or under an invalid key is rejected without a 100',
    writes: true,
    run: async (service) => {
      expectStatuses(await expecting(service, { 'content-length': '65537' }), 413);
      expectStatuses(await expecting(service, { 'content-length': '2', 'content-type': 'text/plain' }), 415);
      expectStatuses(await expecting(service, { 'content-length': '2', 'idempotency-key': 'a b' }), 400);
    },
  },
  {
    id: 'problem.later-requests',
    title: 'a body that is rejected is never read as another request',
    writes: true,
    run: async (service) => {
      const smuggled = service.connection.bytesOf({ method: 'POST', target: COLLECTION, body: '' });
      const body = smuggled.repeat(Math.ceil(70_000 / smuggled.length));
      const rejected = { method: 'POST', target: COLLECTION, headers: JSON_HEADERS, body };
      const next = { method: 'GET', target: '/v1/nothing', headers: CLOSE };
      expectStatuses(await service.pipeline([rejected, next]), 413, 404);
    },
  },
]);
