import { checksOf } from '../check.js';
import { expectAllow, expectHeader, expectStatus, expectText, expectThat } from '../expectations.js';
import { expectProblem } from '../problems.js';

const PAGES = ['/docs', '/openapi.json', '/timetable', '/health/live', '/health/ready', '/metrics'];
const ALLOWED = ['GET', 'HEAD', 'OPTIONS'];

/** What is outside /v1. */
export const pages = checksOf('The operations', 'interface', [
  {
    id: 'operations.pages',
    title: `outside /v1 are ${PAGES.join(', ')}`,
    writes: false,
    run: async (service) => {
      for (const target of PAGES) expectStatus(await service.get(target), 200);
    },
  },
  {
    id: 'operations.pages.methods',
    title: 'any other method on the pages outside /v1 is 405 with Allow',
    writes: true,
    run: async (service) => {
      for (const target of PAGES) {
        for (const method of ['POST', 'DELETE']) {
          const response = await service.send({ method, target });
          expectProblem(response, 'method-not-allowed');
          expectAllow(response, ALLOWED);
        }
      }
    },
  },
  {
    id: 'operations.pages.read',
    title: 'on the pages outside /v1, HEAD is as GET without the body, and OPTIONS is 204 with Allow',
    writes: false,
    run: async (service) => {
      for (const target of PAGES) {
        const head = await service.send({ method: 'HEAD', target });
        expectStatus(head, 200);
        expectText(head, '');
        const options = await service.send({ method: 'OPTIONS', target });
        expectStatus(options, 204);
        expectAllow(options, ALLOWED);
      }
    },
  },
  {
    id: 'operations.pages.root',
    title: '`GET /` is 302 to the timetable for a request that prefers text/html, else 404',
    writes: false,
    run: async (service) => {
      const html = await service.get('/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
      expectStatus(html, 302);
      const { location = '(absent)' } = html.headers;
      expectThat(html, /^(?:.*\/)?timetable$/.test(location), 'location: /timetable', `location: ${location}`);
      for (const accept of ['*/*', 'application/json']) {
        expectProblem(await service.get('/', { accept }), 'route-not-found');
      }
      expectHeader(await service.get('/'), 'location', undefined);
    },
  },
  {
    id: 'operations.pages.else',
    title: 'nothing else is outside /v1',
    writes: false,
    run: async (service) => {
      for (const target of [
        '/bookings',
        '/v2/bookings',
        '/v10',
        '/health',
        '/metrics/',
        '/openapi.yaml',
        '/favicon.ico',
      ]) {
        expectProblem(await service.get(target), 'route-not-found');
      }
    },
  },
]);
