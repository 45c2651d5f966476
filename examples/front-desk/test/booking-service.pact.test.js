import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { MatchersV3, PactV4 } from '@pact-foundation/pact';
import { BookingService } from '../src/booking-service.js';

const { regex, string } = MatchersV3;

const folder = fileURLToPath(new URL('../pacts', import.meta.url));

const pact = new PactV4({ consumer: 'front-desk', provider: 'bookings-service', dir: folder, logLevel: 'warn' });

const room = 'room-7';
const morning = { from: '2026-12-01T09:00:00.000Z', until: '2026-12-01T10:00:00.000Z', guest: 'Ada' };
const noon = { from: '2026-12-01T12:00:00.000Z', until: '2026-12-01T13:00:00.000Z', guest: 'Grace' };

/** @param {typeof morning} stay */
const payloadOf = ({ from, until, guest }) => ({ slot: { resource_id: room, start: from, end: until }, guest });

/** The members that this consumer reads. @param {typeof morning} stay */
const readOf = ({ from, until, guest }) => ({ slot: { start: from, end: until }, guest });

const theDay = { resource_id: room, from: '2026-12-01T00:00:00Z', to: '2026-12-02T00:00:00.000Z' };

it('reads a day without stays', () =>
  pact
    .addInteraction()
    .given('no bookings exist')
    .uponReceiving('a request for a day on which nobody is there')
    .withRequest('GET', '/v1/bookings', (request) => request.query({ ...theDay, limit: '20' }))
    .willRespondWith(200, (response) => response.jsonBody({ bookings: [] }))
    .executeTest(async ({ url }) => {
      assert.deepEqual(await new BookingService(url).staysOn(room, '2026-12-01'), { stays: [], next: undefined });
    }));

it('reads the stays of a day, in order of arrival', () =>
  pact
    .addInteraction()
    .given('these bookings exist', { bookings: [{ payload: payloadOf(noon) }, { payload: payloadOf(morning) }] })
    .uponReceiving('a request for a day with two stays')
    .withRequest('GET', '/v1/bookings', (request) => request.query({ ...theDay, limit: '20' }))
    .willRespondWith(200, (response) => response.jsonBody({ bookings: [readOf(morning), readOf(noon)] }))
    .executeTest(async ({ url }) => {
      const { stays } = await new BookingService(url).staysOn(room, '2026-12-01');
      assert.deepEqual(stays, [morning, noon]);
    }));

it('reads the link to the rest of a day that does not fit on a screen', () =>
  pact
    .addInteraction()
    .given('these bookings exist', { bookings: [{ payload: payloadOf(morning) }, { payload: payloadOf(noon) }] })
    .uponReceiving('a request for the first of two stays of a day')
    .withRequest('GET', '/v1/bookings', (request) => request.query({ ...theDay, limit: '1' }))
    .willRespondWith(200, (response) =>
      response
        .headers({ Link: regex('^</v1/bookings\\?[^>]+>; rel="next"$', '</v1/bookings?the-rest>; rel="next"') })
        .jsonBody({ bookings: [readOf(morning)] }),
    )
    .executeTest(async ({ url }) => {
      const { stays, next } = await new BookingService(url).staysOn(room, '2026-12-01', 1);
      assert.deepEqual([stays, next], [[morning], '/v1/bookings?the-rest']);
    }));

it('books a room', () =>
  pact
    .addInteraction()
    .given('no bookings exist')
    .uponReceiving('a form for a room that is free')
    .withRequest('POST', '/v1/bookings', (request) =>
      request.headers({ 'Content-Type': 'application/json', 'Idempotency-Key': 'form-1' }).jsonBody(payloadOf(morning)),
    )
    .willRespondWith(201, (response) => response.jsonBody({ booking_id: string('a-booking') }))
    .executeTest(async ({ url }) => {
      assert.equal(await new BookingService(url).book(room, morning, 'form-1'), 'a-booking');
    }));

it('does not book a room that is taken', () =>
  pact
    .addInteraction()
    .given('these bookings exist', { bookings: [{ payload: payloadOf(morning) }] })
    .uponReceiving('a form for a room that is taken')
    .withRequest('POST', '/v1/bookings', (request) =>
      request.headers({ 'Content-Type': 'application/json', 'Idempotency-Key': 'form-2' }).jsonBody(payloadOf(morning)),
    )
    .willRespondWith(409)
    .executeTest(async ({ url }) => {
      assert.equal(await new BookingService(url).book(room, morning, 'form-2'), undefined);
    }));
