import { MatchersV3 } from '@pact-foundation/pact';
import { InvalidRequestError } from '../src/index.js';
import {
  booking,
  BOOKINGS,
  bookings,
  clientOf,
  jsonResponse,
  NO_BOOKINGS,
  pact,
  problemResponse,
} from './bookings-service.js';

const PATH = '/v1/bookings';
const nine = { resource_id: 'room-7', start: '2026-12-01T09:00:00.000Z', end: '2026-12-01T10:00:00.000Z' };
const ten = { resource_id: 'room-7', start: '2026-12-01T10:00:00.000Z', end: '2026-12-01T11:00:00.000Z' };
const nineElsewhere = { ...nine, resource_id: 'room-8' };

describe('list bookings', () => {
  it('returns an empty page when there are no bookings', () =>
    pact
      .addInteraction()
      .given(NO_BOOKINGS)
      .uponReceiving('a request for the list of no bookings')
      .withRequest('GET', PATH)
      .willRespondWith(200, jsonResponse({ bookings: [], next_cursor: null }))
      .executeTest(async (service) => {
        await expect(clientOf(service).list()).resolves.toEqual({ bookings: [], next_cursor: null });
      }));

  it('returns a page in the requested order, and the cursor of the next one', () =>
    pact
      .addInteraction()
      .given(BOOKINGS, bookings({ payload: { slot: ten } }, { payload: { slot: nine } }, { payload: {} }))
      .uponReceiving('a request for two of three bookings, by the start of their slots')
      .withRequest('GET', PATH, (request) => request.query({ limit: '2', sort: 'start' }))
      .willRespondWith(
        200,
        jsonResponse({
          bookings: [booking({ slot: nine }), booking({ slot: ten })],
          next_cursor: MatchersV3.string('the-next-page'),
        }),
      )
      .executeTest(async (service) => {
        const page = await clientOf(service).list({ limit: 2, sort: 'start' });
        expect(page.bookings.map(({ slot }) => slot)).toEqual([nine, ten]);
        expect(page.next_cursor).toBe('the-next-page');
      }));

  it('returns only the bookings of a resource in a window', () =>
    pact
      .addInteraction()
      .given(
        BOOKINGS,
        bookings({ payload: { slot: nine } }, { payload: { slot: ten } }, { payload: { slot: nineElsewhere } }),
      )
      .uponReceiving('a request for the bookings of one resource in one window')
      .withRequest('GET', PATH, (request) =>
        request.query({ resource_id: 'room-7', from: '2026-12-01T08:00:00Z', to: '2026-12-01T10:00:00Z' }),
      )
      .willRespondWith(200, jsonResponse({ bookings: [booking({ slot: nine })], next_cursor: null }))
      .executeTest(async (service) => {
        const window = { from: '2026-12-01T08:00:00Z', to: '2026-12-01T10:00:00Z' };
        const found = [];
        for await (const { slot } of clientOf(service).listAll({ resource_id: 'room-7', ...window })) found.push(slot);
        expect(found).toEqual([nine]);
      }));

  it('is rejected for a cursor that the service did not give', () =>
    pact
      .addInteraction()
      .given(NO_BOOKINGS)
      .uponReceiving('a request for the list with a cursor that the service did not give')
      .withRequest('GET', PATH, (request) => request.query({ cursor: 'not-a-cursor' }))
      .willRespondWith(400, problemResponse('invalid-request'))
      .executeTest(async (service) => {
        await expect(clientOf(service).list({ cursor: 'not-a-cursor' })).rejects.toThrow(InvalidRequestError);
      }));
});
