import { checksOf } from '../check.js';
import type { ReceivedResponse } from '../exchange.js';
import { expectSame, expectThat } from '../expectations.js';
import { Failure } from '../failure.js';
import { aKey, aResource, aSlot } from '../inventions.js';
import { expectProblem, pointersOf, type ProblemName } from '../problems.js';
import { type Members, readBooking, readObject } from '../reading.js';
import { COLLECTION, type Service } from '../service.js';

/** What is rejected with a problem of each type, without a write. */
const reads: Partial<Record<ProblemName, string>> = {
  'invalid-request': `${COLLECTION}?limit=0`,
  'booking-not-found': `${COLLECTION}/nothing`,
  'route-not-found': '/v1/nothing',
};

/** The same with one. */
const writes: Partial<Record<ProblemName, (service: Service) => Promise<ReceivedResponse>>> = {
  'method-not-allowed': (service) => service.send({ method: 'DELETE' }),
  'slot-taken': async (service) => {
    const slot = aSlot(aResource());
    readBooking(await service.create({ slot }));
    return service.create({ slot });
  },
  'payload-too-large': (service) => service.post(' '.repeat(65_537)),
  'unsupported-media-type': (service) => service.post('{}', { 'content-type': 'text/plain' }),
  'invalid-booking': (service) => service.create({ booking_id: 'mine' }),
  'idempotency-key-reused': async (service) => {
    const key = aKey();
    readBooking(await service.create({ n: 1 }, key));
    return service.create({ n: 2 }, key);
  },
};

export const errors = checksOf('Errors', 'interface', [
  ...Object.entries(reads).map(([name, target]) => ({
    id: `problem.${name}`,
    title: `${name} is a problem with type, title, status and detail`,
    writes: false,
    run: async (service: Service) => expectMembers(await service.get(target), name as ProblemName),
  })),
  ...Object.entries(writes).map(([name, request]) => ({
    id: `problem.${name}`,
    title: `${name} is a problem with type, title, status and detail`,
    writes: true,
    run: async (service: Service) => expectMembers(await request(service), name as ProblemName),
  })),
  {
    id: 'problem.instance',
    title: '`instance` is the path of the request as it was sent',
    writes: false,
    run: async (service) => {
      for (const [target, query] of [
        [COLLECTION, '?limit=0'],
        [`${COLLECTION}/%6Eothing%20there`, '?x=1'],
        ['/v1/nothing', ''],
      ] as const) {
        const response = await service.get(target + query);
        expectSame(response, 'instance', readObject(response)['instance'], target);
      }
    },
  },
  {
    id: 'problem.errors',
    title: '`errors` is a list of a pointer and a detail each',
    writes: false,
    run: async (service) => {
      const response = await service.get(`${COLLECTION}?limit=0&page=2`);
      for (const fault of (readObject(response)['errors'] ?? []) as Members[]) {
        const isFault = String(fault['pointer']).startsWith('#/') && typeof fault['detail'] === 'string';
        expectThat(response, isFault, '{ pointer, detail }', JSON.stringify(fault));
      }
      expectSame(response, 'pointers', pointersOf(response).toSorted(), ['#/limit', '#/page']);
    },
  },
  {
    id: 'problem.pointer',
    title: 'a pointer is a JSON Pointer as a URI fragment',
    writes: true,
    run: async (service) => {
      const plain = await service.post('{"a/b~c":1e400}');
      expectSame(plain, 'pointers', pointersOf(plain), ['#/a~1b~0c']);
      const escaped = await service.post('{"é b":[0,{"%":1e400}]}');
      const [pointer = ''] = pointersOf(escaped);
      expectThat(escaped, /^[!-~]+$/.test(pointer), 'a pointer of visible ASCII characters', pointer);
      expectSame(escaped, 'the pointer decoded', decodeURIComponent(pointer), '#/é b/1/%');
    },
  },
  {
    id: 'problem.pointer.long',
    title: 'a pointer of more than 1,000 characters leads to a member around it, and no error is longer than 64 KiB',
    writes: true,
    run: async (service) => {
      const names = Array.from({ length: 20 }, (_, index) => `"${index}${'n'.repeat(3_000)}":1e400`);
      const response = await service.post(`{"a":{${names.join()}}}`);
      expectSame(response, 'pointers', [...new Set(pointersOf(response))], ['#/a']);
      const { length } = response.bytes;
      expectThat(response, length <= 65_536, 'at most 65,536 bytes', `${length} bytes`);
    },
  },
  {
    id: 'problem.incomplete',
    title: 'what is not a whole request is rejected in the same form, with an empty `instance`',
    writes: false,
    run: async ({ connection }) => {
      const received = await connection.sendBytes('NO HTTP\r\n\r\n');
      for (const expected of [
        /^content-type: application\/problem\+json\b/im,
        /^x-request-id: [!-~]+\r$/im,
        /"type":\s*"urn:problem-type:bookings:invalid-request"/,
        /"instance":\s*""/,
      ]) {
        if (!expected.test(received)) throw new Failure(String(expected), received);
      }
    },
  },
]);

function expectMembers(response: ReceivedResponse, name: ProblemName): void {
  const { title, status, detail } = expectProblem(response, name);
  expectSame(response, 'status', status, response.status);
  for (const [member, text] of Object.entries({ title, detail })) {
    if (typeof text !== 'string' || text === '') throw new Failure(`a ${member}`, String(text), response.request);
  }
}
