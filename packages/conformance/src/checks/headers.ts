import { randomUUID } from 'node:crypto';
import { check, checksOf } from '../check.js';
import { expectHeader, expectThat } from '../expectations.js';
import { aResource, aSlot } from '../inventions.js';
import { row } from '../row.js';
import { COLLECTION, type Headers, pathOf, post, type Service } from '../service.js';

const TARGETS = [COLLECTION, `${COLLECTION}?limit=0`, `${COLLECTION}/nothing`, '/v1/nothing', '/health/live'];
const PAGES = ['/openapi.json', '/docs', '/timetable', '/metrics'];

/** A directive more would be one that the interface does not have. */
const PRIVATE = { 'cache-control': ['private', 'no-cache'] };

/** The X-Request-Id of a response. */
async function requestId(service: Service, target: string, headers: Headers = {}): Promise<string> {
  const response = await service.get(target, headers);
  const id = response.headers['x-request-id'] ?? '(absent)';
  expectThat(response, /^[!-~]{1,128}$/.test(id), 'an X-Request-Id', `x-request-id: ${id}`);
  return id;
}

export const headers = checksOf('Headers', 'interface', [
  check('header.request-id', 'every response has an X-Request-Id, a new one where none is given', async (service) => {
    for (const target of TARGETS) {
      const first = await requestId(service, target);
      const response = await service.get(target);
      expectThat(response, response.headers['x-request-id'] !== first, 'another X-Request-Id', `${first} again`);
    }
  }),
  check('header.request-id.given', 'an X-Request-Id of 1 to 128 visible ASCII characters is kept', async (service) => {
    for (const given of [randomUUID(), 'a', '~!"#$%&\'()*+,-./', 'x'.repeat(128)]) {
      for (const target of TARGETS) {
        expectHeader(await service.get(target, { 'x-request-id': given }), 'x-request-id', given);
      }
    }
  }),
  check('header.request-id.rejected', 'X-Request-Id is a new one where anything else is given', async (service) => {
    for (const given of ['', 'x'.repeat(129), 'a b', '\u00e9', ['one', 'two']]) {
      const id = await requestId(service, COLLECTION, { 'x-request-id': given });
      const response = await service.get(COLLECTION, { 'x-request-id': given });
      const isNew = response.headers['x-request-id'] !== id && !['a', 'b', 'one', 'two'].includes(id);
      expectThat(response, isNew, 'a new X-Request-Id', id);
    }
  }),
  row('header.cache-control', 'Cache-Control: private, no-cache is on every response', { headers: PRIVATE }, (id) => [
    ...[...TARGETS, ...PAGES, pathOf(id)].flatMap((target) =>
      ['GET', 'HEAD', 'OPTIONS'].map((method) => `${method} ${target}`),
    ),
    { target: pathOf(id), headers: { 'if-none-match': `"${id}"` } },
  ]),
  row(
    'header.cache-control.create',
    'Cache-Control: private, no-cache is on every response to a create',
    { headers: PRIVATE },
    () => {
      const create = post(JSON.stringify({ slot: aSlot(aResource()) }));
      return [create, create, 'DELETE /v1/bookings', 'PUT /v1/bookings', post('{')];
    },
  ),
]);
