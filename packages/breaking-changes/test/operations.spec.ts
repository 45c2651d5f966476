import { type Change, foundAfter, text } from './support/committed-document.js';

describe('An operation', () => {
  it.each<[string, Change, string]>([
    [
      'a path',
      ({ document }) => delete document.paths['/v1/bookings/{booking_id}'],
      'GET /v1/bookings/{booking_id}: is gone',
    ],
    ['a method', ({ document }) => delete document.paths['/v1/bookings']!['post'], 'POST /v1/bookings: is gone'],
    ['a success status', ({ create }) => delete create.responses['201'], 'POST /v1/bookings, 201: is gone'],
    ['an error status', ({ create }) => delete create.responses['409'], 'POST /v1/bookings, 409: is gone'],
    ['304', ({ get }) => delete get.responses['304'], 'GET /v1/bookings/{booking_id}, 304: is gone'],
    [
      'a header',
      ({ create }) => delete create.responses['201']!.headers['Location'],
      'POST /v1/bookings, 201, header Location: is gone',
    ],
    [
      'a type of responses',
      ({ list }) => delete list.responses['200']!.content['application/json'],
      'GET /v1/bookings, 200: is no longer sent as application/json',
    ],
    [
      'a type of bodies',
      ({ create }) => delete create.requestBody.content['application/json'],
      'POST /v1/bookings, request body: application/json is not taken any more',
    ],
    [
      'its body',
      ({ create }) => delete (create as Partial<typeof create>).requestBody,
      'POST /v1/bookings, request body: is gone',
    ],
    [
      'its name',
      ({ list }) => (list.operationId = 'bookings'),
      'GET /v1/bookings: `operationId` was `"listBookings"` and is `"bookings"`',
    ],
    [
      'its server',
      ({ document }) => (document['servers'] = [{ url: '/api' }]),
      'GET /v1/bookings: is not served at `"/"` any more',
    ],
  ])('breaks consumers when it loses %s', (_what, change, message) => {
    expect(foundAfter(change)).toContain(message);
  });

  it.each<[string, Change, string]>([
    [
      'a new status of success',
      ({ create }) => (create.responses['202'] = create.responses['201']!),
      'POST /v1/bookings, 202: is a new way to succeed',
    ],
    [
      'credentials',
      ({ document }) => {
        document.components.securitySchemes = { token: { type: 'http', scheme: 'bearer' } };
        document['security'] = [{ token: [] }];
      },
      'POST /v1/bookings: asks for other credentials (`security`)',
    ],
    ['callbacks', ({ create }) => (create['callbacks'] = {}), 'POST /v1/bookings: `callbacks` was nothing and is `{}`'],
  ])('breaks consumers with %s', (_what, change, message) => {
    expect(foundAfter(change)).toContain(message);
  });

  it.each<[string, Change]>([
    ['nothing changed', () => {}],
    [
      'descriptions, examples and the label of the preview',
      ({ document, schemas, create }) => {
        document.info['version'] = '0.1.0-preview.9';
        schemas.Booking['description'] = 'Another one';
        schemas.Booking.properties['booking_id']!['examples'] = ['x'];
        create.responses['201']!.description = 'Another one';
      },
    ],
    [
      'an operation that is added',
      ({ document, list }) => (document.paths['/v1/bookings']!['delete'] = { ...list, operationId: 'x' }),
    ],
    ['an error status that is added', ({ list }) => (list.responses['451'] = list.responses['400']!)],
    ['a header that is added', ({ list }) => (list.responses['200']!.headers['X-New'] = { schema: text() })],
    [
      'another name of a path parameter',
      ({ document, get }) => {
        delete document.paths['/v1/bookings/{booking_id}'];
        get.parameters[0]!.name = 'id';
        document.paths['/v1/bookings/{id}'] = { get };
      },
    ],
    [
      'other credentials that may be sent instead',
      ({ document, list, create, get }) => {
        Object.assign(document.components.securitySchemes!, { token: { type: 'http', scheme: 'basic' } });
        for (const operation of [list, create, get]) (operation['security'] as object[]).push({ token: [] });
      },
    ],
  ])('breaks nobody: %s', (_what, change) => {
    expect(foundAfter(change)).toEqual([]);
  });
});
