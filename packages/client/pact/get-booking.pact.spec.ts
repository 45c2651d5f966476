import { MatchersV3 } from '@pact-foundation/pact';
import { BookingNotFoundError, BookingsClient } from '../src/index.js';
import * as service from './bookings-service.js';

const { anEtag, anId, booking, bookings, BOOKINGS, interaction, PATH } = service;

const payload = { slot: service.nine, guest: { name: 'Ada' } };
const pathOfLast = MatchersV3.fromProviderState('/v1/bookings/${booking_id}', `${PATH}/${anId}`);

describe('get a booking', () => {
  interaction('a request for a booking', {
    given: [BOOKINGS, bookings({ payload })],
    request: ['GET', pathOfLast],
    response: [
      200,
      (response) =>
        response.headers({ 'Content-Type': service.jsonType, ETag: service.etag }).jsonBody(booking(payload)),
    ],
    async test(client) {
      await expect(client.get(anId)).resolves.toMatchObject({ booking_id: anId, ...payload });
    },
  });

  interaction('a request for a booking that is known', {
    given: [BOOKINGS, bookings({ payload })],
    request: [
      'GET',
      pathOfLast,
      (request) => request.headers({ 'If-None-Match': MatchersV3.fromProviderState('${etag}', anEtag) }),
    ],
    response: [304],
    async test(_, baseUrl) {
      // An interaction is one request, so the first response is not from the mock server.
      const before = [Response.json({ booking_id: anId, ...payload }, { headers: { etag: anEtag } })];
      const client = new BookingsClient({
        baseUrl,
        maxRetries: 0,
        fetch: async (...request) => before.shift() ?? fetch(...request),
      });
      const known = await client.get(anId);
      await expect(client.get(anId, { known })).resolves.toBe(known);
    },
  });

  interaction('a request for a booking that does not exist', {
    given: [service.NO_BOOKINGS],
    request: ['GET', `${PATH}/${anId}`],
    response: [404, service.problemResponse('booking-not-found')],
    async test(client) {
      await expect(client.get(anId)).rejects.toThrow(BookingNotFoundError);
    },
  });
});
