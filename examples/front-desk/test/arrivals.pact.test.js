import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { MatchersV3, PactV4 } from '@pact-foundation/pact';
import { arrivalOf } from '../src/arrivals.js';

const folder = fileURLToPath(new URL('../pacts', import.meta.url));

// Pact takes events and responses as those of two providers.
const pact = new PactV4({ consumer: 'front-desk', provider: 'bookings-service-events', dir: folder, logLevel: 'warn' });

const slot = { resource_id: 'room-7', start: '2026-12-01T09:00:00.000Z', end: '2026-12-01T10:00:00.000Z' };

it('shows a stay that was booked', () =>
  pact
    .addAsynchronousInteraction()
    .given('these bookings exist', { bookings: [{ payload: { slot, guest: 'Ada' } }] })
    .expectsToReceive('the event of a stay', (message) =>
      message.withJSONContent({
        type: 'bookings.booking.created',
        data: { booking_id: MatchersV3.string('a-booking'), slot, guest: 'Ada' },
      }),
    )
    .executeTest(async ({ contents }) => {
      assert.deepEqual(arrivalOf(contents.content), {
        number: 'a-booking',
        room: 'room-7',
        from: slot.start,
        until: slot.end,
        guest: 'Ada',
      });
    }));

it('shows nothing for a ping, or for a booking without a room', () => {
  assert.equal(arrivalOf({ type: 'bookings.ping', data: {} }), undefined);
  assert.equal(arrivalOf({ type: 'bookings.booking.created', data: { booking_id: 'a-booking' } }), undefined);
});
