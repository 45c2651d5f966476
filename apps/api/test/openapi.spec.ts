import { readFileSync } from 'node:fs';
import { type CreateBookingDto, pageExample, problemSchema, validate } from '@booking-service/contracts';
import type { INestApplication } from '@nestjs/common';
import type { BookingSchema } from '../src/booking-schema/booking-schema.js';
import { fromCursor } from '../src/bookings/cursor.js';
import { readConfig } from '../src/config/config.js';
import { createApp } from '../src/create-app.js';
import { logTo } from '../src/observability/logger.js';
import type { Tokens } from '../src/openapi/describe-operation.js';
import { openApiDocument } from '../src/openapi/openapi-document.js';

const committed = new URL('../../../packages/contracts/openapi.json', import.meta.url);

let app: INestApplication;
beforeAll(async () => {
  app = await createApp(readConfig({}), logTo(process.stderr, 'warn'));
});
afterAll(() => app.close());

interface Responses {
  [status: string]: { content?: Record<string, { examples?: Record<string, { value: object }> }> };
}

interface Document {
  paths: Record<string, Record<string, { security?: object[]; responses: Responses }>>;
  components: { securitySchemes?: object };
}

function document(tokens: Tokens): Document {
  return JSON.parse(JSON.stringify(openApiDocument(app, tokens))) as Document;
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
    const booked = { seats: 2, slot: { ...slot, start: '2026-12-01T18:00:00.000Z', end: '2026-12-01T20:00:00.000Z' } };
    const shown = (example: object) => ({ content: { 'application/json': { example } } });
    expect(openApiDocument(app, 'none', withExamples(examples))).toMatchObject({
      paths: {
        '/v1/bookings': {
          get: { responses: { 200: shown({ bookings: [booked, booked] }) } },
          post: { responses: { 201: shown(booked) } },
        },
        '/v1/bookings/{booking_id}': { get: { responses: { 200: shown(booked) } } },
      },
      webhooks: {
        bookingCreated: {
          post: { requestBody: { content: { 'application/cloudevents+json': { example: { data: booked } } } } },
        },
      },
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
      const { examples = {} } = content?.['application/problem+json'] ?? {};
      return Object.values(examples).map(({ value }) => value);
    });
    expect(problems.length).toBeGreaterThan(20);
    for (const problem of problems) expect(validate(problemSchema, problem)).toEqual({ value: problem });
  });

  it('has an example of a cursor that the service takes', () => {
    expect(fromCursor(pageExample.next_cursor, { sort: '-created_at' })).toBeDefined();
  });
});
