import { MatchersV3 } from '@pact-foundation/pact';
import type { CreateBookingDto } from '@booking-service/contracts';
import { IdempotencyKeyReusedError, InvalidBookingError, SlotTakenError } from '../src/index.js';
import {
  anId,
  booking,
  BOOKINGS,
  bookings,
  type BuildRequest,
  type BuildResponse,
  clientOf,
  etag,
  jsonType,
  NO_BOOKINGS,
  pact,
  problemResponse,
} from './bookings-service.js';

const PATH = '/v1/bookings';
const slot = { resource_id: 'room-7', start: '2026-12-01T09:00:00.000Z', end: '2026-12-01T10:00:00.000Z' };
const details = { guest: { name: 'Ada' }, note: 'window seat' };
const generatedKey = MatchersV3.regex('^[\\x21-\\x7E]{1,255}$', '0f9a2c1e-3c55-4b0e-9d35-3d1c5a1b7c11');

const payloadRequest =
  (payload: CreateBookingDto, key: string | typeof generatedKey = generatedKey): BuildRequest =>
  (request) =>
    request.headers({ 'Content-Type': 'application/json', 'Idempotency-Key': key }).jsonBody(payload);

const createdResponse =
  (members: object, headers: Record<string, string> = {}): BuildResponse =>
  (response) =>
    response
      .headers({
        'Content-Type': jsonType,
        Location: MatchersV3.regex('^/v1/bookings/[^/]+$', `/v1/bookings/${anId}`),
        ETag: etag,
        ...headers,
      })
      .jsonBody(booking(members));

describe('create a booking', () => {
  it('returns the booking with its slot in UTC', () => {
    const payload = { slot: { ...slot, start: '2026-12-01T10:00:00+01:00' }, ...details };
    return pact
      .addInteraction()
      .given(NO_BOOKINGS)
      .uponReceiving('a booking with a slot')
      .withRequest('POST', PATH, payloadRequest(payload))
      .willRespondWith(201, createdResponse({ slot, ...details }))
      .executeTest(async (service) => {
        await expect(clientOf(service).create(payload)).resolves.toMatchObject({ booking_id: anId, slot, ...details });
      });
  });

  it('returns a booking without a slot', () =>
    pact
      .addInteraction()
      .given(NO_BOOKINGS)
      .uponReceiving('a booking without a slot')
      .withRequest('POST', PATH, payloadRequest(details))
      .willRespondWith(201, createdResponse(details))
      .executeTest(async (service) => {
        await expect(clientOf(service).create(details)).resolves.toMatchObject({ booking_id: anId, ...details });
      }));

  it('is rejected when the slot is taken, and names the slot that is held', () => {
    const payload = { slot: { ...slot, start: '2026-12-01T09:30:00.000Z', end: '2026-12-01T10:30:00.000Z' } };
    return pact
      .addInteraction()
      .given(BOOKINGS, bookings({ payload: { slot } }))
      .uponReceiving('a booking with a slot that overlaps one that is held')
      .withRequest('POST', PATH, payloadRequest(payload))
      .willRespondWith(409, problemResponse('slot-taken', { conflicting_slot: slot }))
      .executeTest(async (service) => {
        const call = clientOf(service).create(payload);
        await expect(call).rejects.toThrow(SlotTakenError);
        await expect(call).rejects.toMatchObject({ conflictingSlot: slot });
      });
  });

  it('is rejected when the payload is no booking, and names the member at fault', () => {
    const payload = { slot: { ...slot, start: 'tomorrow' } };
    const pointer = '#/slot/start';
    return pact
      .addInteraction()
      .given(NO_BOOKINGS)
      .uponReceiving('a booking whose slot has no start')
      .withRequest('POST', PATH, payloadRequest(payload))
      .willRespondWith(
        422,
        problemResponse('invalid-booking', { errors: [{ pointer, detail: MatchersV3.string('is not a date-time') }] }),
      )
      .executeTest(async (service) => {
        const call = clientOf(service).create(payload);
        await expect(call).rejects.toThrow(InvalidBookingError);
        await expect(call).rejects.toMatchObject({ errors: [{ pointer }] });
      });
  });

  it('returns the same booking again for the same key and payload', () =>
    pact
      .addInteraction()
      .given(BOOKINGS, bookings({ payload: { slot, ...details }, idempotency_key: 'order-17' }))
      .uponReceiving('a booking that was made before, with its idempotency key')
      .withRequest('POST', PATH, payloadRequest({ slot, ...details }, 'order-17'))
      .willRespondWith(201, createdResponse({ slot, ...details }, { 'Idempotent-Replayed': 'true' }))
      .executeTest(async (service) => {
        const replayed = clientOf(service).create({ slot, ...details }, { idempotencyKey: 'order-17' });
        await expect(replayed).resolves.toMatchObject({ booking_id: anId, slot, ...details });
      }));

  it('is rejected when the key belongs to another payload', () =>
    pact
      .addInteraction()
      .given(BOOKINGS, bookings({ payload: details, idempotency_key: 'order-17' }))
      .uponReceiving('a booking with the idempotency key of another one')
      .withRequest('POST', PATH, payloadRequest({ guest: { name: 'Bob' } }, 'order-17'))
      .willRespondWith(422, problemResponse('idempotency-key-reused'))
      .executeTest(async (service) => {
        const call = clientOf(service).create({ guest: { name: 'Bob' } }, { idempotencyKey: 'order-17' });
        await expect(call).rejects.toThrow(IdempotencyKeyReusedError);
      }));
});
