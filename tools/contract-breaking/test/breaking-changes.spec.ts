import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { breakingChanges } from '../src/breaking-changes.js';

const committed = readFileSync(
  createRequire(import.meta.url).resolve('@booking-service/contracts/openapi.json'),
  'utf8',
);

interface Schema {
  [keyword: string]: unknown;
  properties: Record<string, Schema>;
  required: string[];
}

interface Operation {
  [member: string]: unknown;
  parameters: { name: string; in: string; required?: boolean; schema: object }[];
  responses: Record<string, { headers: Record<string, object> }>;
}

/** The committed document, which a test changes. */
function parts() {
  const document = JSON.parse(committed) as {
    paths: Record<string, Record<string, Operation>>;
    webhooks: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, Schema> };
  };
  const schemas = document.components.schemas as Record<
    'Booking' | 'BookingCreatedEvent' | 'CreateBooking' | 'Problem' | 'Slot',
    Schema
  >;
  const { paths, webhooks } = document;
  const bookings = paths['/v1/bookings'] as Record<'get' | 'post', Operation>;
  return {
    document,
    paths,
    webhooks,
    schemas,
    create: bookings.post,
    list: bookings.get,
    created: webhooks['bookingCreated']!['post']!,
  };
}

type Change = (committed: ReturnType<typeof parts>) => unknown;

function breaksAfter(change: Change): Promise<string[]> {
  const committedParts = parts();
  change(committedParts);
  return breakingChanges(committed, JSON.stringify(committedParts.document));
}

const text = (): Schema => ({ type: 'string' }) as never;

/** Takes a name out of a list. */
const remove = (names: string[], name: string) => names.splice(names.indexOf(name), 1);

describe('Consumers are broken by', () => {
  it.each<[string, string, Change]>([
    ['a removed operation', 'api-removed-without-deprecation', ({ paths }) => delete paths['/v1/bookings']!['post']],
    ['a removed path', 'api-path-removed-without-deprecation', ({ paths }) => delete paths['/v1/bookings']],
    ['another name of an operation', 'api-operation-id-removed', ({ list }) => (list['operationId'] = 'bookings')],
    ['a removed status', 'response-non-success-status-removed', ({ create }) => delete create.responses['409']],
    [
      'a new status of success',
      'response-success-status-added',
      ({ create }) => (create.responses['202'] = create.responses['201']!),
    ],
    ['a removed parameter', 'request-parameter-removed', ({ list }) => list.parameters.pop()],
    [
      'a new required parameter',
      'new-required-request-parameter',
      ({ list }) => list.parameters.push({ name: 'q', in: 'query', required: true, schema: text() }),
    ],
    [
      'a new required member of a request',
      'new-required-request-property',
      ({ schemas }) => {
        schemas.Slot.properties['seats'] = text();
        schemas.Slot.required.push('seats');
      },
    ],
    [
      'a member of a request that was free, and has to be there',
      'new-required-request-property',
      ({ schemas }) => (schemas.CreateBooking.required = ['guest']),
    ],
    [
      'a create that takes no free names',
      'request-property-removed',
      ({ schemas }) => (schemas.CreateBooking['additionalProperties'] = false),
    ],
    [
      'a rule for the values of free names',
      'request-property-type-changed',
      ({ schemas }) => (schemas.CreateBooking['additionalProperties'] = text()),
    ],
    [
      'a required member of a response that became optional',
      'response-property-became-optional',
      ({ schemas }) => remove(schemas.Booking.required, 'created_at'),
    ],
    [
      'a removed member of a response',
      'response-required-property-removed',
      ({ schemas }) => {
        delete schemas.Booking.properties['created_at'];
        remove(schemas.Booking.required, 'created_at');
      },
    ],
    [
      'a removed optional member of a response',
      'response-optional-property-removed',
      ({ schemas }) => delete schemas.Problem.properties['errors'],
    ],
    [
      'a removed header of a response',
      'optional-response-header-removed',
      ({ create }) => delete create.responses['201']!.headers['Location'],
    ],
    [
      'a credential that is not accepted any more',
      'api-security-removed',
      ({ create }) => (create['security'] as object[]).pop(),
    ],
    ['a removed webhook', 'api-path-removed-without-deprecation', ({ webhooks }) => delete webhooks['bookingCreated']],
    [
      'a required member of an event that became optional',
      'response-property-became-optional',
      ({ schemas }) => remove(schemas.BookingCreatedEvent.required, 'sequence'),
    ],
    ['a removed header of an event', 'required-response-header-removed', ({ created }) => created.parameters.pop()],
  ])('%s (%s)', async (_what, id, change) => {
    expect((await breaksAfter(change)).join('\n')).toContain(`(${id})`);
  });
});

describe('No client is broken by', () => {
  it.each<[string, Change]>([
    ['no change', () => {}],
    [
      'an operation, an optional parameter, a header and an error status that are added',
      ({ paths, list }) => {
        paths['/v1/bookings']!['delete'] = { ...list, operationId: 'x' };
        list.parameters.push({ name: 'q', in: 'query', schema: text() });
        list.responses['200']!.headers['X-New'] = { schema: text() };
        list.responses['451'] = list.responses['400']!;
      },
    ],
    [
      'a free name of a member of a create that is documented',
      ({ schemas }) => (schemas.CreateBooking.properties['guest'] = text()),
    ],
    ['free names where there were none', ({ schemas }) => (schemas.Slot['additionalProperties'] = {})],
    ['an optional member of a request', ({ schemas }) => (schemas.Slot.properties['seats'] = text())],
    [
      'a member that responses and events always have',
      ({ schemas }) => {
        schemas.Booking.properties['state'] = text();
        schemas.Booking.required.push('state');
        schemas.BookingCreatedEvent.properties['traceparent'] = text();
        schemas.BookingCreatedEvent.required.push('traceparent');
      },
    ],
    [
      'a problem type',
      ({ schemas }) => (schemas.Problem.properties['type']!['enum'] as string[]).push('urn:problem-type:bookings:x'),
    ],
    ['a webhook', ({ webhooks, created }) => (webhooks['later'] = { post: { ...created, operationId: 'x' } })],
    [
      'other words',
      ({ schemas, create }) => {
        schemas.Booking['description'] = 'Another one';
        create['summary'] = 'Another one';
      },
    ],
  ])('%s', async (_what, change) => {
    expect(await breaksAfter(change)).toEqual([]);
  });
});

it('rejects a document that is not OpenAPI', async () => {
  await expect(breakingChanges(committed, '{ "paths": [] }')).rejects.toThrow('failed to load');
});
