import { MatchersV3 } from '@pact-foundation/pact';
import { BookingNotFoundError } from '../src/index.js';
import {
  anEtag,
  anId,
  booking,
  BOOKINGS,
  bookings,
  clientOf,
  etag,
  jsonType,
  NO_BOOKINGS,
  pact,
  problemResponse,
} from './bookings-service.js';

const slot = { resource_id: 'room-7', start: '2026-12-01T09:00:00.000Z', end: '2026-12-01T10:00:00.000Z' };
const payload = { slot, guest: { name: 'Ada' } };
const pathOfLast = MatchersV3.fromProviderState('/v1/bookings/${booking_id}', `/v1/bookings/${anId}`);

describe('get a booking', () => {
  it('returns the booking', () =>
    pact
      .addInteraction()
      .given(BOOKINGS, bookings({ payload }))
      .uponReceiving('a request for a booking')
      .withRequest('GET', pathOfLast)
      .willRespondWith(200, (response) =>
        response.headers({ 'Content-Type': jsonType, ETag: etag }).jsonBody(booking(payload)),
      )
      .executeTest(async (service) => {
        await expect(clientOf(service).get(anId)).resolves.toMatchObject({ booking_id: anId, ...payload });
      }));

  it('returns the booking that is known when it is not modified', () =>
    pact
      .addInteraction()
      .given(BOOKINGS, bookings({ payload }))
      .uponReceiving('a request for a booking that is known')
      .withRequest('GET', pathOfLast, (request) =>
        request.headers({ 'If-None-Match': MatchersV3.fromProviderState('${etag}', anEtag) }),
      )
      .willRespondWith(304)
      .executeTest(async (service) => {
        // The client has to know the booking before, and an interaction is one request: the first is not the mock's.
        const before = [Response.json({ booking_id: anId, ...payload }, { headers: { etag: anEtag } })];
        const client = clientOf(service, async (...request) => before.shift() ?? fetch(...request));
        const known = await client.get(anId);
        await expect(client.get(anId, { known })).resolves.toBe(known);
      }));

  it('finds no booking that was not made', () =>
    pact
      .addInteraction()
      .given(NO_BOOKINGS)
      .uponReceiving('a request for a booking that does not exist')
      .withRequest('GET', `/v1/bookings/${anId}`)
      .willRespondWith(404, problemResponse('booking-not-found'))
      .executeTest(async (service) => {
        await expect(clientOf(service).get(anId)).rejects.toThrow(BookingNotFoundError);
      }));
});
