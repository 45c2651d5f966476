import { readFileSync } from 'node:fs';
import { type CreateBookingDto, pageExample, problemSchema, validate } from '@booking-service/contracts';
import type { INestApplication } from '@nestjs/common';
import type { BookingSchema } from '../src/booking-schema/booking-schema.js';
import { fromCursor } from '../src/bookings/cursor.js';
import { readConfig } from '../src/config/config.js';
import { createApp } from '../src/create-app.js';
import { logTo } from '../src/observability/logger.js';
import type { Tokens } from '../src/openapi/describe-operation.js';
import { openApiDocument, type OpenApiDocument } from '../src/openapi/openapi-document.js';

const committed = new URL('../../../packages/contracts/openapi.json', import.meta.url);

let app: INestApplication;
beforeAll(async () => {
  app = await createApp(readConfig({}), logTo(process.stderr, 'warn'));
});
afterAll(() => app.close());

function document(tokens: Tokens): OpenApiDocument {
  return JSON.parse(JSON.stringify(openApiDocument(app, tokens))) as OpenApiDocument;
}

const withExamples = (examples: CreateBookingDto[]): BookingSchema => ({
  json: undefined,
  examples,
  faultsOf: () => [],
});

describe('The OpenAPI document', () => {
  it('is committed for a service that may require tokens: run `pnpm openapi` after a change', () => {
    expect(JSON.parse(readFileSync(committed, 'utf8'))).toEqual(document('optional'));
  });

  it.each([
    ['none', undefined, ''],
    ['optional', [{}, { bearer: ['bookings:write'] }], '401 403'],
    ['required', [{ bearer: ['bookings:write'] }], '401 403'],
  ] as const)('says of tokens that they are %s', (tokens, security, statuses) => {
    const { paths, components } = document(tokens);
    const { post } = paths['/v1/bookings']!;
    expect(post!.security).toEqual(security);
    const described = Object.keys(post!.responses).filter((status) => ['401', '403'].includes(status));
    expect(described.join(' ')).toBe(statuses);
    expect(Object.keys(components.securitySchemes ?? {})).toEqual(tokens === 'none' ? [] : ['bearer']);
  });

  it('shows the payloads of a deployment, and the bookings made of them', () => {
    const slot = { resource_id: 'table-4', start: '2026-12-01T19:00:00+01:00', end: '2026-12-01T21:00:00+01:00' };
    const examples = [{ seats: 2, slot }];
    const { paths } = openApiDocument(app, 'none', withExamples(examples));
    const { get, post } = paths['/v1/bookings']!;
    expect(post!.requestBody!.content['application/json']!.examples).toEqual({
      'example-1': { summary: 'Example 1', value: examples[0] },
    });
    const booked = { seats: 2, slot: { ...slot, start: '2026-12-01T18:00:00.000Z', end: '2026-12-01T20:00:00.000Z' } };
    expect(post!.responses['201']!.content!['application/json']!.example).toMatchObject(booked);
    expect(get!.responses['200']!.content!['application/json']!.example).toMatchObject({ bookings: [booked, booked] });
    const { bookingCreated } = openApiDocument(app, 'none', withExamples(examples)).webhooks;
    expect(bookingCreated.post.requestBody.content['application/cloudevents+json'].example).toMatchObject({
      data: booked,
    });
  });

  it('belongs to one application: another has its own examples', () => {
    const before = document('optional');
    openApiDocument(app, 'none', withExamples([{ seats: 2 }]));
    expect(document('optional')).toEqual(before);
  });

  it('has examples of problems that keep to their schema', () => {
    const responses = Object.values(document('optional').paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap((operation) => Object.values(operation.responses));
    const problems = responses.flatMap(({ content }) => {
      const { examples = {} } = (content?.['application/problem+json'] ?? {}) as { examples?: object };
      return Object.values(examples).map(({ value }: { value: object }) => value);
    });
    expect(problems.length).toBeGreaterThan(20);
    for (const problem of problems) expect(validate(problemSchema, problem)).toEqual({ value: problem });
  });

  it('has an example of a cursor that the service takes', () => {
    expect(fromCursor(pageExample.next_cursor, { sort: '-created_at' })).toBeDefined();
  });
});
