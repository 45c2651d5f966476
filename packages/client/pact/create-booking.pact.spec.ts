import type { CreateBookingDto } from '@booking-service/contracts';
import { MatchersV3 } from '@pact-foundation/pact';
import { IdempotencyKeyReusedError, InvalidBookingError, SlotTakenError } from '../src/index.js';
import * as service from './bookings-service.js';

const { anId, bookings, BOOKINGS, details, interaction, nine: slot, NO_BOOKINGS, PATH, problemResponse } = service;

const generatedKey = MatchersV3.regex('^[\\x21-\\x7E]{1,255}$', '0f9a2c1e-3c55-4b0e-9d35-3d1c5a1b7c11');

const payloadRequest =
  (payload: CreateBookingDto, key: string | typeof generatedKey = generatedKey): service.BuildRequest =>
  (request) =>
    request.headers({ 'Content-Type': 'application/json', 'Idempotency-Key': key }).jsonBody(payload);

const createdResponse =
  (members: object, headers: Record<string, string> = {}): service.BuildResponse =>
  (response) =>
    response
      .headers({
        'Content-Type': service.jsonType,
        Location: MatchersV3.regex('^/v1/bookings/[^/]+$', `/v1/bookings/${anId}`),
        ETag: service.etag,
        ...headers,
      })
      .jsonBody(service.booking(members));

describe('create a booking', () => {
  const zoned = { slot: { ...slot, start: '2026-12-01T10:00:00+01:00' }, ...details };
  interaction('a booking with a slot', {
    given: [NO_BOOKINGS],
    request: ['POST', PATH, payloadRequest(zoned)],
    response: [201, createdResponse({ slot, ...details })],
    async test(client) {
      await expect(client.create(zoned)).resolves.toMatchObject({ booking_id: anId, slot, ...details });
    },
  });

  interaction('a booking without a slot', {
    given: [NO_BOOKINGS],
    request: ['POST', PATH, payloadRequest(details)],
    response: [201, createdResponse(details)],
    async test(client) {
      await expect(client.create(details)).resolves.toMatchObject({ booking_id: anId, ...details });
    },
  });

  const overlapping = { slot: { ...slot, start: '2026-12-01T09:30:00.000Z', end: '2026-12-01T10:30:00.000Z' } };
  interaction('a booking with a slot that overlaps one that is held', {
    given: [BOOKINGS, bookings({ payload: { slot } })],
    request: ['POST', PATH, payloadRequest(overlapping)],
    response: [409, problemResponse('slot-taken', { conflicting_slot: slot })],
    async test(client) {
      const call = client.create(overlapping);
      await expect(call).rejects.toThrow(SlotTakenError);
      await expect(call).rejects.toMatchObject({ conflictingSlot: slot });
    },
  });

  const invalid = { slot: { ...slot, start: 'tomorrow' } };
  const pointer = '#/slot/start';
  interaction('a booking whose slot has no start', {
    given: [NO_BOOKINGS],
    request: ['POST', PATH, payloadRequest(invalid)],
    response: [
      422,
      problemResponse('invalid-booking', { errors: [{ pointer, detail: MatchersV3.string('is not a date-time') }] }),
    ],
    async test(client) {
      const call = client.create(invalid);
      await expect(call).rejects.toThrow(InvalidBookingError);
      await expect(call).rejects.toMatchObject({ errors: [{ pointer }] });
    },
  });

  interaction('a booking that was made before, with its idempotency key', {
    given: [BOOKINGS, bookings({ payload: { slot, ...details }, idempotency_key: 'order-17' })],
    request: ['POST', PATH, payloadRequest({ slot, ...details }, 'order-17')],
    response: [201, createdResponse({ slot, ...details }, { 'Idempotent-Replayed': 'true' })],
    async test(client) {
      const response = client.create({ slot, ...details }, { idempotencyKey: 'order-17' }).withResponse();
      const data = { booking_id: anId, slot, ...details };
      await expect(response).resolves.toMatchObject({ data, replayed: true });
    },
  });

  interaction('a booking with the idempotency key of another one', {
    given: [BOOKINGS, bookings({ payload: details, idempotency_key: 'order-17' })],
    request: ['POST', PATH, payloadRequest({ guest: { name: 'Bob' } }, 'order-17')],
    response: [422, problemResponse('idempotency-key-reused')],
    async test(client) {
      const call = client.create({ guest: { name: 'Bob' } }, { idempotencyKey: 'order-17' });
      await expect(call).rejects.toThrow(IdempotencyKeyReusedError);
    },
  });
});
