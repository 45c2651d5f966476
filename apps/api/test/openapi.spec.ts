import { readFileSync } from 'node:fs';
import {
  validate,
  bookingPageSchema,
  bookingSchema,
  createBookingSchema,
  problemSchema,
} from '@booking-service/contracts';
import { bookingExample, pageExample, payloadExamples, problemExamples } from '../src/openapi/examples.js';
import { openApiDocument } from '../src/openapi/openapi-document.js';
import { PREVIEW_VERSION } from '../src/openapi/preview-version.js';

const committed = new URL('../../../packages/contracts/openapi.json', import.meta.url);

describe('The OpenAPI document', () => {
  it('is committed as it is for a service that may ask for tokens: run `pnpm openapi` after a change', () => {
    expect(JSON.parse(readFileSync(committed, 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(openApiDocument(PREVIEW_VERSION, 'optional'))),
    );
  });

  it('names the three operations and labels each as a preview', () => {
    const described = Object.entries(openApiDocument(PREVIEW_VERSION, 'optional').paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, { operationId: string; summary: string }>).map(
        ([method, { operationId, summary }]) => [method, path, operationId, summary.includes('preview')],
      ),
    );
    expect(described).toEqual([
      ['get', '/v1/bookings', 'listBookings', true],
      ['post', '/v1/bookings', 'createBooking', true],
      ['get', '/v1/bookings/{booking_id}', 'getBooking', true],
    ]);
  });

  it.each([
    ['none', undefined, undefined],
    ['optional', [{}, { bearer: ['bookings:write'] }], '401 403'],
    ['required', [{ bearer: ['bookings:write'] }], '401 403'],
  ] as const)('says of tokens that they are %s', (tokens, security, statuses) => {
    const { paths, components } = openApiDocument(PREVIEW_VERSION, tokens);
    const { post } = paths['/v1/bookings']!;
    expect(post!['security']).toEqual(security);
    expect(
      Object.keys(post!['responses'] as object)
        .filter((status) => ['401', '403'].includes(status))
        .join(' '),
    ).toBe(statuses ?? '');
    expect(Object.keys(components.securitySchemes ?? {})).toEqual(tokens === 'none' ? [] : ['bearer']);
  });

  it('has examples that keep to the schemas', () => {
    const examples = [
      [bookingSchema, bookingExample],
      [bookingPageSchema, pageExample],
      ...Object.values(payloadExamples).map(({ value }) => [createBookingSchema, value] as const),
      ...Object.values(problemExamples).map((problem) => [problemSchema, problem.toDto('/v1/bookings')] as const),
    ] as const;
    for (const [schema, example] of examples) expect(validate(schema, example)).toEqual({ value: example });
  });

  it('refers only to what it has', () => {
    const document = openApiDocument(PREVIEW_VERSION, 'optional');
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([\w-]+)"/g);
    for (const [, kind, name] of references) {
      expect(document).toHaveProperty(['components', kind!, name!]);
    }
  });
});
