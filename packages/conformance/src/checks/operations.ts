import { randomUUID } from 'node:crypto';
import { check, checksOf } from '../check.js';
import { expectHeader, expectStatus, expectText } from '../expectations.js';
import { aResource } from '../fixtures.js';
import { COLLECTION, listOf, pathOf, post } from '../service.js';
import { requests, responds } from '../statements.js';

const READS = ['GET', 'HEAD', 'OPTIONS'];
const OTHER_METHODS = ['PUT', 'PATCH', 'DELETE', 'PROPFIND', 'TRACE'];

const ALLOW_READS = { headers: { allow: READS } };
const ALLOW_CREATES = { headers: { allow: [...READS, 'POST'] } };
const NOT_ALLOWED_ON_COLLECTION = { problem: 'method-not-allowed', ...ALLOW_CREATES } as const;
const NOT_ALLOWED = { problem: 'method-not-allowed', ...ALLOW_READS } as const;
const JSON_TYPE = { mediaType: 'application/json' };
const PROBLEM_TYPE = { mediaType: 'application/problem+json' };

const accepting = (...targets: string[]) =>
  ['*/*', 'text/html', 'application/json', 'application/xml;q=0.9'].flatMap((accept) =>
    targets.map((target) => ({ target, headers: { accept } })),
  );

export const operations = checksOf('The operations', 'interface', [
  responds('operations.list.status', 'a list responds with 200', 200, ['GET /v1/bookings']),
  responds('operations.create.status', 'a create responds with 201', 201, [post('{}')]),
  responds('operations.get.status', 'a get responds with 200', 200, (id) => [`GET ${pathOf(id)}`]),
  responds('operations.media-type.success', 'bookings are application/json, whatever `Accept` says', JSON_TYPE, (id) =>
    accepting(COLLECTION, pathOf(id)),
  ),
  responds('operations.media-type.created', 'the response to a create is application/json in UTF-8', JSON_TYPE, [
    post('{"note":"Łódź \u{1F6AA}"}', { accept: 'text/html' }),
  ]),
  responds(
    'operations.media-type.errors',
    'errors are application/problem+json, whatever `Accept` says',
    PROBLEM_TYPE,
    [...accepting(`${COLLECTION}?limit=0`, `${COLLECTION}/nothing`, '/v1/nothing')],
  ),
  responds('operations.paths.case', 'paths are case-sensitive', 'route-not-found', [
    ...requests(['GET'], '/V1/bookings', '/v1/Bookings', '/v1/BOOKINGS'),
  ]),
  responds('operations.paths.slash', 'a path with a trailing slash does not exist', 'route-not-found', (id) => [
    ...requests(['GET'], '/v1/bookings/', `${pathOf(id)}/`),
  ]),
  responds('operations.paths.create', 'no other path creates a booking', 'route-not-found', [
    ...requests(['POST'], '/v1/bookings/', '/v1/Bookings', '/v1/booking'),
  ]),
  responds('operations.paths.elsewhere', 'other paths under /v1 do not exist', 'route-not-found', [
    ...requests(['GET'], '/v1', '/v1/', '/v1/booking', '/v1//bookings', '//v1/bookings', '/v1%2Fbookings'),
    ...requests(['GET'], '/v1/bookings.json', '/v1/bookings/x/y'),
  ]),
  check('operations.head', 'HEAD is GET without the body', async (service) => {
    const empty = listOf({ resource_id: aResource() });
    // The oldest booking stays first, whatever others create.
    const linked = listOf({ sort: 'created_at', limit: 1 });
    const [id] = await service.ids(2);
    for (const target of [
      empty,
      linked,
      pathOf(id!),
      `${COLLECTION}/nothing`,
      `${COLLECTION}?limit=0`,
      '/v1/nothing',
    ]) {
      const head = await service.send({ method: 'HEAD', target });
      const get = await service.get(target);
      expectStatus(head, get.status);
      expectText(head, '');
      for (const name of ['content-type', 'etag', 'link', 'location']) expectHeader(head, name, get.headers[name]);
    }
  }),
  responds('operations.options.collection', 'OPTIONS on the collection is 204', { status: 204, ...ALLOW_CREATES }, [
    'OPTIONS /v1/bookings',
  ]),
  responds('operations.options.booking', 'OPTIONS on a booking is 204', { status: 204, ...ALLOW_READS }, (id) =>
    requests(['OPTIONS'], pathOf(id), pathOf(randomUUID())),
  ),
  responds('operations.methods.collection', 'any other method on the collection is 405', NOT_ALLOWED_ON_COLLECTION, [
    ...requests(OTHER_METHODS, COLLECTION),
  ]),
  responds('operations.methods.booking', 'any other method on a booking is 405', NOT_ALLOWED, (id) =>
    requests(['POST', ...OTHER_METHODS], pathOf(id), pathOf(randomUUID())),
  ),
]);
