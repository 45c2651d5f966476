import { MatchersV3, PactV4 } from '@pact-foundation/pact';
import { Webhook } from 'standardwebhooks';
import { parseBookingEvent } from '../src/events.js';
import { anId, booking, BOOKINGS, bookings, DELETED_BOOKINGS, details, nine as slot } from './bookings-service.js';

const { regex, string } = MatchersV3;

/** Events are a contract of their own, with another provider name. */
const pact = new PactV4({
  consumer: 'bookings-client',
  provider: 'bookings-service-events',
  dir: 'pacts',
  logLevel: 'warn',
});

function created(members: object) {
  return {
    specversion: '1.0',
    id: regex('^created-[A-Za-z0-9._~-]+$', `created-${anId}`),
    type: 'bookings.booking.created',
    data: booking(members),
  };
}

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** The event as the client reads it, signed here: a contract cannot describe a signature. */
function received({ content }: { content: unknown }) {
  const body = JSON.stringify(content);
  const { id } = content as { id: string };
  const now = new Date();
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': `${Math.floor(now.getTime() / 1000)}`,
    'webhook-signature': new Webhook(secret).sign(id, now, body),
  };
  return parseBookingEvent<typeof details>(body, headers, secret);
}

describe('the event of a booking', () => {
  it('has the booking with its slot and its details', () =>
    pact
      .addAsynchronousInteraction()
      .given(BOOKINGS, bookings({ payload: { slot, ...details } }))
      .expectsToReceive('the event of a booking with a slot', (message) =>
        message.withJSONContent(created({ slot, ...details })),
      )
      .executeTest(async ({ contents }) => {
        const event = await received(contents);
        if (event.type !== 'bookings.booking.created') throw new Error(`The event is of the type ${event.type}.`);
        expect(event.data).toMatchObject({ booking_id: anId, slot, ...details });
      }));

  it('has a booking without a slot as it is', () =>
    pact
      .addAsynchronousInteraction()
      .given(BOOKINGS, bookings({ payload: details }))
      .expectsToReceive('the event of a booking without a slot', (message) => message.withJSONContent(created(details)))
      .executeTest(async ({ contents }) => {
        await expect(received(contents)).resolves.toMatchObject({ data: { booking_id: anId, ...details } });
      }));
});

describe('the event of a deleted booking', () => {
  it('has its id, and the slot that is free again', () =>
    pact
      .addAsynchronousInteraction()
      .given(DELETED_BOOKINGS, bookings({ payload: { slot, ...details } }))
      .expectsToReceive('the event of a deleted booking', (message) =>
        message.withJSONContent({
          specversion: '1.0',
          id: regex('^deleted-[A-Za-z0-9._~-]+$', `deleted-${anId}`),
          type: 'bookings.booking.deleted',
          data: { booking_id: string(anId), slot },
        }),
      )
      .executeTest(async ({ contents }) => {
        const event = await received(contents);
        if (event.type !== 'bookings.booking.deleted') throw new Error(`The event is of the type ${event.type}.`);
        expect(event.data).toEqual({ booking_id: anId, slot });
      }));
});
