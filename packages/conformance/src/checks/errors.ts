import { check, checksOf, type Statement } from '../check.js';
import type { ReceivedResponse } from '../exchange.js';
import { expectReceived, expectSame, expectStatuses, expectText, expectThat } from '../expectations.js';
import { Failure } from '../failure.js';
import { type ProblemName, problemType } from '../problem-types.js';
import { expectErrorsOf, expectProblem, pointersOf } from '../problems.js';
import { type Members, readObject } from '../reading.js';
import { COLLECTION, type Service } from '../service.js';

const problem = (name: ProblemName, provoke: (service: Service) => Promise<ReceivedResponse>): Statement =>
  check(`problem.${name}`, `${name} is a problem with type, title, status and detail`, async (service) => {
    const response = await provoke(service);
    const { title, status, detail } = expectProblem(response, name);
    expectSame(response, 'status', status, response.status);
    for (const [member, text] of Object.entries({ title, detail })) {
      if (typeof text !== 'string' || text === '') throw new Failure(`a ${member}`, String(text), response.request);
    }
  });

export const errors = checksOf('Errors', 'interface', [
  problem('invalid-request', (service) => service.list({ limit: 0 })),
  problem('booking-not-found', (service) => service.getOne('nothing')),
  problem('route-not-found', (service) => service.get('/v1/nothing')),
  problem('method-not-allowed', (service) => service.send({ method: 'DELETE' })),
  problem('slot-taken', async (service) => {
    const { payload } = await service.first();
    return service.create(payload);
  }),
  problem('payload-too-large', (service) => service.post(' '.repeat(65_537))),
  problem('unsupported-media-type', (service) => service.post('{}', { 'content-type': 'text/plain' })),
  problem('invalid-booking', (service) => service.create({ booking_id: 'mine' })),
  problem('idempotency-key-reused', async (service) => {
    // The first booking and its key are still there after all others.
    const { payload, key, response, booking } = await service.first();
    expectText(await service.getOne(booking.booking_id), response.text);
    expectText(await service.create(payload, key), response.text);
    return service.create({ n: 2 }, key);
  }),
  check('problem.instance', '`instance` is the path of the request, unchanged', async (service) => {
    for (const [target, query] of [
      [COLLECTION, '?limit=0'],
      [`${COLLECTION}/%6Eothing%20there`, '?x=1'],
      ['/v1/nothing', ''],
    ] as const) {
      const response = await service.get(target + query);
      expectSame(response, 'instance', readObject(response)['instance'], target);
    }
  }),
  check('problem.errors', '`errors` is a list of `{ pointer, detail }`', async (service) => {
    const response = await service.get(`${COLLECTION}?limit=0&page=2`);
    for (const error of (readObject(response)['errors'] ?? []) as Members[]) {
      const isFieldError = String(error['pointer']).startsWith('#/') && typeof error['detail'] === 'string';
      expectThat(response, isFieldError, '{ pointer, detail }', JSON.stringify(error));
    }
    expectErrorsOf(response, 'invalid-request', ['#/limit', '#/page']);
  }),
  check('problem.pointer', 'a pointer is a JSON Pointer as a URI fragment', async (service) => {
    const plain = await service.post('{"a/b~c":1e400}');
    expectSame(plain, 'pointers', pointersOf(plain), ['#/a~1b~0c']);
    const escaped = await service.post('{"é b":[0,{"%":1e400}]}');
    const [pointer = ''] = pointersOf(escaped);
    expectThat(escaped, /^[!-~]+$/.test(pointer), 'a pointer of visible ASCII characters', pointer);
    expectSame(escaped, 'the pointer decoded', decodeURIComponent(pointer), '#/é b/1/%');
  }),
  check('problem.pointer.long', 'a pointer above 1,000 characters is that of an enclosing member', async (service) => {
    const names = Array.from({ length: 20 }, (_, index) => `"${index}${'n'.repeat(3_000)}":1e400`);
    const response = await service.post(`{"a":{${names.join()}}}`);
    expectSame(response, 'pointers', [...new Set(pointersOf(response))], ['#/a']);
    const { length } = response.bytes;
    expectThat(response, length <= 65_536, 'at most 65,536 bytes', `${length} bytes`);
  }),
  check('problem.incomplete', 'input that is not HTTP is a 400 with an empty `instance`', async (service) => {
    const received = await service.connection.sendBytes('NO HTTP\r\n\r\n');
    expectStatuses(received, 400);
    for (const expected of [
      /^content-type:[ \t]*application\/problem\+json\b/im,
      /^x-request-id:[ \t]*[!-~]+[ \t]*\r$/im,
      new RegExp(`"type"\\s*:\\s*"${problemType('invalid-request')}"`),
      /"instance"\s*:\s*""/,
    ]) {
      expectReceived(received, expected.test(received.text), String(expected));
    }
  }),
]);
