import { randomUUID } from 'node:crypto';
import { checksOf } from '../check.js';
import { expectHeader, expectThat } from '../expectations.js';
import { COLLECTION, type Headers, type Service } from '../service.js';

const TARGETS = [COLLECTION, `${COLLECTION}?limit=0`, `${COLLECTION}/nothing`, '/v1/nothing', '/health/live'];

async function requestId(service: Service, target: string, headers: Headers): Promise<string> {
  const response = await service.get(target, headers);
  const id = response.headers['x-request-id'];
  expectThat(
    response,
    id !== undefined && /^[!-~]{1,128}$/.test(id),
    'an X-Request-Id',
    `x-request-id: ${id ?? '(absent)'}`,
  );
  return id!;
}

export const headers = checksOf('Headers', 'interface', [
  {
    id: 'header.request-id',
    title: 'X-Request-Id is on every response, and a new one where the caller gives none',
    writes: false,
    run: async (service) => {
      for (const target of TARGETS) {
        const first = await requestId(service, target, {});
        const response = await service.get(target);
        expectThat(response, response.headers['x-request-id'] !== first, 'another X-Request-Id', `${first} again`);
      }
    },
  },
  {
    id: 'header.request-id.given',
    title: "X-Request-Id is the caller's if it is 1 to 128 visible ASCII characters",
    writes: false,
    run: async (service) => {
      for (const given of [randomUUID(), 'a', '~!"#$%&\'()*+,-./', 'x'.repeat(128)]) {
        for (const target of TARGETS) {
          expectHeader(await service.get(target, { 'x-request-id': given }), 'x-request-id', given);
        }
      }
    },
  },
  {
    id: 'header.request-id.refused',
    title: 'X-Request-Id is a new one where the caller gives anything else',
    writes: false,
    run: async (service) => {
      for (const given of ['', 'x'.repeat(129), 'a b', '\u00e9', ['one', 'two']]) {
        const id = await requestId(service, COLLECTION, { 'x-request-id': given });
        const response = await service.get(COLLECTION, { 'x-request-id': given });
        const isNew = response.headers['x-request-id'] !== id && !['a', 'b', 'one', 'two'].includes(id);
        expectThat(response, isNew, 'a new X-Request-Id', id);
      }
    },
  },
]);
