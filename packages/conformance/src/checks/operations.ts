import { randomUUID } from 'node:crypto';
import { check, checksOf } from '../check.js';
import type { ReceivedResponse } from '../exchange.js';
import { expectHeader, expectSame, expectStatus, expectText } from '../expectations.js';
import { aResource } from '../inventions.js';
import { readBooking, readPage } from '../reading.js';
import { row } from '../row.js';
import { COLLECTION, listOf, pathOf, post } from '../service.js';

const ALLOW_ON_COLLECTION = { allow: ['GET', 'HEAD', 'POST', 'OPTIONS'] };
const ALLOW_ON_BOOKING = { allow: ['GET', 'HEAD', 'OPTIONS'] };
const OTHER_METHODS = ['PUT', 'PATCH', 'DELETE', 'PROPFIND', 'TRACE'];

const accepting = (target: string) =>
  ['*/*', 'text/html', 'application/json', 'application/xml;q=0.9'].map((accept) => ({ target, headers: { accept } }));

export const operations = checksOf('The operations', 'interface', [
  row('operations.list.status', 'the list responds with 200', 200, ['GET /v1/bookings']),
  check(
    'operations.list.page',
    'the list responds with `bookings` and with `next_cursor`, a string or null',
    async (service) => void readPage(await service.get(COLLECTION)),
  ),
  row('operations.create.status', 'a create responds with 201', 201, [post('{}')]),
  row('operations.get.status', 'a get responds with 200', 200, (id) => [`GET ${pathOf(id)}`]),
  check('operations.get.booking', 'a get responds with the booking of that id', async (service) => {
    const id = await service.anId();
    const response = await service.getOne(id);
    expectSame(response, 'booking_id', readBooking(response).booking_id, id);
  }),
  row(
    'operations.media-type.success',
    'success bodies are application/json in UTF-8, whatever Accept says',
    { mediaType: 'application/json' },
    (id) => [COLLECTION, pathOf(id)].flatMap(accepting),
  ),
  row(
    'operations.media-type.created',
    'the booking of a create is application/json in UTF-8',
    { mediaType: 'application/json' },
    [post('{"note":"Łódź \u{1F6AA}"}', { accept: 'text/html' })],
  ),
  row(
    'operations.media-type.errors',
    'errors are application/problem+json in UTF-8, whatever Accept says',
    { mediaType: 'application/problem+json' },
    [`${COLLECTION}?limit=0`, `${COLLECTION}/nothing`, '/v1/nothing'].flatMap(accepting),
  ),
  row('operations.paths.case', 'paths are case-sensitive', 'route-not-found', [
    'GET /V1/bookings',
    'GET /v1/Bookings',
    'GET /v1/BOOKINGS',
  ]),
  row(
    'operations.paths.slash',
    'a slash at the end makes another path, which is not there',
    'route-not-found',
    (id) => ['GET /v1/bookings/', `GET ${pathOf(id)}/`],
  ),
  row('operations.paths.create', 'a create at another path is not there', 'route-not-found', [
    'POST /v1/bookings/',
    'POST /v1/Bookings',
    'POST /v1/booking',
  ]),
  row('operations.paths.elsewhere', 'nothing else is under /v1', 'route-not-found', [
    'GET /v1',
    'GET /v1/',
    'GET /v1/booking',
    'GET /v1//bookings',
    'GET //v1/bookings',
    'GET /v1%2Fbookings',
    'GET /v1/bookings.json',
    'GET /v1/bookings/x/y',
  ]),
  check('operations.head', 'HEAD responds as GET does, without the body', async (service) => {
    const empty = listOf({ resource_id: aResource() });
    // The oldest, before which nothing new can come.
    const linked = listOf({ sort: 'created_at', limit: 1 });
    const [id] = await service.ids(2);
    const rejected = [`${COLLECTION}/nothing`, `${COLLECTION}?limit=0`, '/v1/nothing'];
    for (const target of [empty, linked, pathOf(id!), ...rejected]) {
      expectSameHead(await service.send({ method: 'HEAD', target }), await service.get(target));
    }
  }),
  row(
    'operations.options.collection',
    'OPTIONS on the collection responds with 204 and Allow',
    { status: 204, headers: ALLOW_ON_COLLECTION },
    ['OPTIONS /v1/bookings'],
  ),
  row(
    'operations.options.booking',
    'OPTIONS on a booking responds with 204 and Allow, whether or not there is one',
    { status: 204, headers: ALLOW_ON_BOOKING },
    (id) => [`OPTIONS ${pathOf(id)}`, `OPTIONS ${pathOf(randomUUID())}`],
  ),
  row(
    'operations.methods.collection',
    'any other method on the collection is 405 with Allow',
    { problem: 'method-not-allowed', headers: ALLOW_ON_COLLECTION },
    OTHER_METHODS.map((method) => `${method} /v1/bookings`),
  ),
  row(
    'operations.methods.booking',
    'any other method on a booking is 405 with Allow, whether or not there is one',
    { problem: 'method-not-allowed', headers: ALLOW_ON_BOOKING },
    (id) =>
      ['POST', ...OTHER_METHODS].flatMap((method) => [`${method} ${pathOf(id)}`, `${method} ${pathOf(randomUUID())}`]),
  ),
]);

function expectSameHead(head: ReceivedResponse, get: ReceivedResponse): void {
  expectStatus(head, get.status);
  expectText(head, '');
  for (const name of ['content-type', 'etag', 'link', 'location']) expectHeader(head, name, get.headers[name]);
}
