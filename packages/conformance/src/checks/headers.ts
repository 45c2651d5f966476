import { randomUUID } from 'node:crypto';
import { checksOf } from '../check.js';
import type { ReceivedResponse } from '../exchange.js';
import { expectHeader, expectStatus, expectThat } from '../expectations.js';
import { aResource, aSlot } from '../inventions.js';
import { COLLECTION, type Headers, pathOf, type Service } from '../service.js';

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

/** A directive more would be one that the interface does not have; their order does not count. */
function expectPrivate(response: ReceivedResponse): void {
  const got = response.headers['cache-control'] ?? '(absent)';
  const directives = got.split(',').map((directive) => directive.trim().toLowerCase());
  const isPrivate = directives.toSorted().join() === 'no-cache,private';
  expectThat(response, isPrivate, 'cache-control: private, no-cache', `cache-control: ${got}`);
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
    id: 'header.request-id.rejected',
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
  {
    id: 'header.cache-control',
    title: 'Cache-Control: private, no-cache is on every response',
    writes: false,
    run: async (service) => {
      const id = await service.anId();
      for (const target of [...TARGETS, pathOf(id), '/openapi.json', '/docs', '/timetable', '/metrics']) {
        for (const method of ['GET', 'HEAD', 'OPTIONS']) expectPrivate(await service.send({ method, target }));
      }
      const notModified = await service.get(pathOf(id), { 'if-none-match': `"${id}"` });
      expectStatus(notModified, 304);
      expectPrivate(notModified);
    },
  },
  {
    id: 'header.cache-control.create',
    title: 'Cache-Control: private, no-cache is on every response to a create',
    writes: true,
    run: async (service) => {
      const slot = aSlot(aResource());
      for (const status of [201, 409]) {
        const response = await service.create({ slot });
        expectStatus(response, status);
        expectPrivate(response);
      }
      for (const method of ['DELETE', 'PUT']) expectPrivate(await service.send({ method }));
      expectPrivate(await service.post('{'));
    },
  },
]);
