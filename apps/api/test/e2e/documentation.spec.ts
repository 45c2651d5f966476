import { readFileSync } from 'node:fs';
import { operations, pageExample } from '@booking-service/contracts';
import { fromCursor } from '../../src/bookings/domain/cursor.js';
import type { TokenPolicy } from '../../src/features/openapi/json-schemas.js';
import { openApiDocument } from '../../src/features/openapi/openapi-document.js';
import { type Api, api } from '../support/api.js';
import { type RunningApp, startApp } from '../support/start-app.js';

const committed = new URL('../../../../packages/contracts/openapi.json', import.meta.url);

let running: RunningApp;
let service: Api;

beforeAll(async () => {
  running = await startApp();
  service = api(running.url);
});
afterAll(() => running.close());

interface Document {
  paths: Record<string, Record<string, { security?: object[]; responses: object }>>;
  components: { securitySchemes?: object };
}

const document = (tokens: TokenPolicy) => JSON.parse(JSON.stringify(openApiDocument(tokens))) as Document;

describe('The OpenAPI document', () => {
  it('is at /openapi.json, for this deployment', async () => {
    const { body, headers } = await service.get('/openapi.json').expect(200);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(body).toEqual(document('none'));
  });

  it('is committed for a service that may require tokens: run `pnpm openapi` after a change', () => {
    expect(JSON.parse(readFileSync(committed, 'utf8'))).toEqual(document('optional'));
  });

  it.each([
    ['none', () => undefined, ''],
    ['optional', (scope: string) => [{}, { bearer: [scope] }], '401 403'],
    ['required', (scope: string) => [{ bearer: [scope] }], '401 403'],
  ] as const)('says what the service does with tokens: %s', (tokens, securityFor, statuses) => {
    const { paths, components } = document(tokens);
    for (const { path, method, scope } of Object.values(operations)) {
      const { security, responses } = paths[path]![method.toLowerCase()]!;
      expect(security).toEqual(securityFor(scope));
      const described = Object.keys(responses).filter((status) => ['401', '403'].includes(status));
      expect(described.join(' ')).toBe(statuses);
    }
    expect(Object.keys(components.securitySchemes ?? {})).toEqual(tokens === 'none' ? [] : ['bearer']);
  });

  it('has the paths and methods that the service serves', async () => {
    const routes = Object.entries(document('none').paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ path, method: method as 'get' | 'post' })),
    );
    for (const { path, method } of routes) {
      const { body } = await service[method](path.replace('{booking_id}', 'none'));
      const { type } = body as { type?: string };
      expect({ path, method, type }).not.toHaveProperty(
        'type',
        expect.stringMatching(/route-not-found|method-not-allowed/),
      );
    }
    expect(routes).toHaveLength(Object.keys(operations).length);
  });

  it('has an example of a cursor that the service accepts', () => {
    expect(fromCursor(pageExample.next_cursor, { sort: '-created_at' })).toBeDefined();
  });
});
