import { randomUUID } from 'node:crypto';
import { checksOf } from '../check.js';
import type { ReceivedResponse } from '../exchange.js';
import { expectAllow, expectHeader, expectStatus, expectText } from '../expectations.js';
import { aResource } from '../inventions.js';
import { expectProblem } from '../problems.js';
import { COLLECTION, pathOf } from '../service.js';

const ALLOWED_ON_COLLECTION = ['GET', 'HEAD', 'POST', 'OPTIONS'];
const ALLOWED_ON_BOOKING = ['GET', 'HEAD', 'OPTIONS'];
const OTHER_METHODS = ['PUT', 'PATCH', 'DELETE', 'PROPFIND', 'TRACE'];

export const routes = checksOf('The operations', 'interface', [
  {
    id: 'operations.paths.case',
    title: 'paths are case-sensitive',
    writes: false,
    run: async (service) => {
      for (const target of ['/V1/bookings', '/v1/Bookings', '/v1/BOOKINGS']) {
        expectProblem(await service.get(target), 'route-not-found');
      }
    },
  },
  {
    id: 'operations.paths.slash',
    title: 'a slash at the end makes another path, which is not there',
    writes: false,
    run: async (service) => {
      for (const target of [`${COLLECTION}/`, `${pathOf(await service.anId())}/`]) {
        expectProblem(await service.get(target), 'route-not-found');
      }
    },
  },
  {
    id: 'operations.paths.create',
    title: 'a create at another path is not there',
    writes: true,
    run: async (service) => {
      for (const target of [`${COLLECTION}/`, '/v1/Bookings', '/v1/booking']) {
        expectProblem(await service.send({ method: 'POST', target, body: '' }), 'route-not-found');
      }
    },
  },
  {
    id: 'operations.paths.elsewhere',
    title: 'nothing else is under /v1',
    writes: false,
    run: async (service) => {
      for (const target of [
        '/v1',
        '/v1/',
        '/v1/booking',
        '/v1//bookings',
        '//v1/bookings',
        '/v1%2Fbookings',
        '/v1/bookings.json',
        '/v1/bookings/x/y',
      ]) {
        expectProblem(await service.get(target), 'route-not-found');
      }
    },
  },
  {
    id: 'operations.head',
    title: 'HEAD responds as GET does, without the body',
    writes: false,
    run: async (service) => {
      const empty = `${COLLECTION}?resource_id=${encodeURIComponent(aResource())}`;
      // The oldest, before which nothing new can come.
      const linked = `${COLLECTION}?sort=created_at&limit=1`;
      const [id] = await service.ids(2);
      for (const target of [
        empty,
        linked,
        pathOf(id!),
        `${COLLECTION}/nothing`,
        `${COLLECTION}?limit=0`,
        '/v1/nothing',
      ]) {
        expectSameHead(await service.send({ method: 'HEAD', target }), await service.get(target));
      }
    },
  },
  {
    id: 'operations.options.collection',
    title: 'OPTIONS on the collection responds with 204 and Allow',
    writes: false,
    run: async (service) => {
      const response = await service.send({ method: 'OPTIONS' });
      expectStatus(response, 204);
      expectAllow(response, ALLOWED_ON_COLLECTION);
    },
  },
  {
    id: 'operations.options.booking',
    title: 'OPTIONS on a booking responds with 204 and Allow, whether or not there is one',
    writes: false,
    run: async (service) => {
      for (const id of [await service.anId(), randomUUID()]) {
        const response = await service.send({ method: 'OPTIONS', target: pathOf(id) });
        expectStatus(response, 204);
        expectAllow(response, ALLOWED_ON_BOOKING);
      }
    },
  },
  {
    id: 'operations.methods.collection',
    title: 'any other method on the collection is 405 with Allow',
    writes: true,
    run: async (service) => {
      for (const method of OTHER_METHODS) {
        const response = await service.send({ method });
        expectProblem(response, 'method-not-allowed');
        expectAllow(response, ALLOWED_ON_COLLECTION);
      }
    },
  },
  {
    id: 'operations.methods.booking',
    title: 'any other method on a booking is 405 with Allow, whether or not there is one',
    writes: true,
    run: async (service) => {
      for (const id of [await service.anId(), randomUUID()]) {
        for (const method of ['POST', ...OTHER_METHODS]) {
          const response = await service.send({ method, target: pathOf(id) });
          expectProblem(response, 'method-not-allowed');
          expectAllow(response, ALLOWED_ON_BOOKING);
        }
      }
    },
  },
]);

function expectSameHead(head: ReceivedResponse, get: ReceivedResponse): void {
  expectStatus(head, get.status);
  expectText(head, '');
  for (const name of ['content-type', 'etag', 'link', 'location']) expectHeader(head, name, get.headers[name]);
}
