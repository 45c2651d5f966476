import { MatchersV3 } from '@pact-foundation/pact';
import { InvalidRequestError } from '../src/index.js';
import * as service from './bookings-service.js';

const { booking, BOOKINGS, bookings, interaction, jsonResponse, nine, NO_BOOKINGS, PATH, problemResponse } = service;

const ten = { resource_id: 'room-7', start: '2026-12-01T10:00:00.000Z', end: '2026-12-01T11:00:00.000Z' };
const nineElsewhere = { ...nine, resource_id: 'room-8' };

describe('list bookings', () => {
  interaction('a request for the list of no bookings', {
    given: [NO_BOOKINGS],
    request: ['GET', PATH],
    response: [200, jsonResponse({ bookings: [], next_cursor: null })],
    async test(client) {
      await expect(client.list()).resolves.toEqual({ bookings: [], next_cursor: null });
    },
  });

  const inOrder = [booking({ slot: nine }), booking({ slot: ten })];
  interaction('a request for the two oldest of three bookings', {
    given: [BOOKINGS, bookings({ payload: { slot: nine } }, { payload: { slot: ten } }, { payload: {} })],
    request: ['GET', PATH, (request) => request.query({ limit: '2', sort: 'created_at' })],
    response: [200, jsonResponse({ bookings: inOrder, next_cursor: MatchersV3.string('the-next-page') })],
    async test(client) {
      const page = await client.list({ limit: 2, sort: 'created_at' });
      expect(page.bookings.map(({ slot }) => slot)).toEqual([nine, ten]);
      expect(page.next_cursor).toBe('the-next-page');
    },
  });

  const window = { resource_id: 'room-7', from: '2026-12-01T08:00:00Z', to: '2026-12-01T10:00:00Z' };
  interaction('a request for the bookings of one resource in one window', {
    given: [
      BOOKINGS,
      bookings({ payload: { slot: nine } }, { payload: { slot: ten } }, { payload: { slot: nineElsewhere } }),
    ],
    request: ['GET', PATH, (request) => request.query(window)],
    response: [200, jsonResponse({ bookings: [booking({ slot: nine })], next_cursor: null })],
    async test(client) {
      const found = [];
      for await (const { slot } of client.listAll(window)) found.push(slot);
      expect(found).toEqual([nine]);
    },
  });

  interaction('a request for the list with a cursor that the service did not give', {
    given: [NO_BOOKINGS],
    request: ['GET', PATH, (request) => request.query({ cursor: 'not-a-cursor' })],
    response: [400, problemResponse('invalid-request')],
    async test(client) {
      await expect(client.list({ cursor: 'not-a-cursor' })).rejects.toThrow(InvalidRequestError);
    },
  });
});
