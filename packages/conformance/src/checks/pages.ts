import { check, checksOf } from '../check.js';
import { expectHeader, expectList, expectStatus, expectText, expectThat } from '../expectations.js';
import { expectProblem } from '../problems.js';
import { row } from '../row.js';

const PAGES = ['/docs', '/openapi.json', '/timetable', '/health/live', '/health/ready', '/metrics'];
const ALLOWED = ['GET', 'HEAD', 'OPTIONS'];

/** What is outside /v1. */
export const pages = checksOf('The operations', 'interface', [
  row(
    'operations.pages',
    `outside /v1 are ${PAGES.join(', ')}`,
    200,
    PAGES.map((page) => `GET ${page}`),
  ),
  row(
    'operations.pages.methods',
    'any other method on the pages outside /v1 is 405 with Allow',
    { problem: 'method-not-allowed', headers: { allow: ALLOWED } },
    PAGES.flatMap((page) => [`POST ${page}`, `DELETE ${page}`]),
  ),
  check(
    'operations.pages.read',
    'on the pages outside /v1, HEAD is as GET without the body, and OPTIONS is 204 with Allow',
    async (service) => {
      for (const target of PAGES) {
        const head = await service.send({ method: 'HEAD', target });
        expectStatus(head, 200);
        expectText(head, '');
        const options = await service.send({ method: 'OPTIONS', target });
        expectStatus(options, 204);
        expectList(options, 'allow', ALLOWED);
      }
    },
  ),
  check('operations.pages.root', '`GET /` is 302 to the timetable for text/html, else 404', async (service) => {
    const html = await service.get('/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expectStatus(html, 302);
    const { location = '(absent)' } = html.headers;
    expectThat(html, /^(?:.*\/)?timetable$/.test(location), 'location: /timetable', `location: ${location}`);
    for (const accept of ['*/*', 'application/json']) {
      expectProblem(await service.get('/', { accept }), 'route-not-found');
    }
    expectHeader(await service.get('/'), 'location', undefined);
  }),
  row('operations.pages.else', 'nothing else is outside /v1', 'route-not-found', [
    'GET /bookings',
    'GET /v2/bookings',
    'GET /v10',
    'GET /health',
    'GET /metrics/',
    'GET /openapi.yaml',
    'GET /favicon.ico',
  ]),
]);
