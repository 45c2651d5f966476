import type * as z from 'zod';
import { idForm } from './booking.js';
import { bookingCreatedEventSchema, bookingDeletedEventSchema, pingEventSchema } from './event-schemas.js';
import { bookingExample } from './examples.js';

export const bookingCreatedExample = {
  specversion: '1.0',
  id: `created-${bookingExample.booking_id}`,
  source: '/v1/bookings',
  type: 'bookings.booking.created',
  subject: bookingExample.booking_id,
  time: bookingExample.created_at,
  datacontenttype: 'application/json',
  data: bookingExample,
};

export const bookingDeletedExample = {
  ...bookingCreatedExample,
  id: `deleted-${bookingExample.booking_id}`,
  type: 'bookings.booking.deleted',
  time: '2025-11-21T08:00:00.000Z',
  data: {
    booking_id: bookingExample.booking_id,
    slot: bookingExample.slot,
    deleted_at: '2025-11-21T08:00:00.000Z',
  },
};

export const pingExample = {
  specversion: '1.0',
  id: 'ping-5f0c7a1e-2d7b-4b57-9a43-6b8f5d0f9c11',
  source: '/v1/bookings',
  type: 'bookings.ping',
  time: '2025-11-20T14:55:00.000Z',
  datacontenttype: 'application/json',
  data: {},
};

/** Headers of the request that delivers an event, by name, as the OpenAPI document describes them. */
export const webhookHeaders = {
  'webhook-id': {
    description: '`id` of the event, the same in every attempt (Standard Webhooks 1.0)',
    schema: { type: 'string', maxLength: 263, pattern: idForm.pattern },
    example: bookingCreatedExample.id,
  },
  'webhook-timestamp': {
    description: 'Time of this attempt, in seconds since 1970-01-01T00:00:00Z',
    schema: { type: 'string', maxLength: 19, pattern: '^[0-9]+$' },
    example: '1763650465',
  },
  'webhook-signature': {
    description:
      'One signature for each secret of the endpoint, separated by spaces: `v1,` and the Base64 of HMAC-SHA256 over `webhook-id`, `webhook-timestamp` and the body, with a full stop between them',
    schema: { type: 'string', maxLength: 200, pattern: '^v1,[A-Za-z0-9+/=]{44}( v1,[A-Za-z0-9+/=]{44})*$' },
    example: 'v1,n5cXQ5ic5ck9B+zqk6MwFHvtTTK0GmTDKUJAoqXBkmM=',
  },
} as const;

const LATER =
  'The event is sent again later, after `Retry-After` if present. Other events for the endpoint wait meanwhile';

/** Meanings of a receiver's response, by status or class of statuses: the most specific applies. Bodies are ignored. */
export const webhookResponses = {
  '2XX': 'Acknowledged. The event is not sent to this endpoint again, unless the acknowledgement is lost',
  '3XX': `Not followed. ${LATER}`,
  '410': 'The endpoint wants no more events, and gets none until the operator configures it again',
  '4XX': LATER,
  '5XX': LATER,
} as const;

export interface Webhook {
  summary: string;
  description: string;
  schema: z.ZodObject;
  example: object;
}

/** Requests that the service sends to the endpoints its operator has configured, by name in the OpenAPI document. */
export const webhooks = {
  bookingCreated: {
    summary: 'A booking was created (preview)',
    description:
      'Sent for every booking, at least once, to every endpoint that the operator of the service configures; by default there is none. Events arrive in any order: the event of a booking may precede the deletion of the booking that held its slot. An event may arrive again, with the same `webhook-id`.',
    schema: bookingCreatedEventSchema,
    example: bookingCreatedExample,
  },
  bookingDeleted: {
    summary: 'An operator deleted a booking (preview)',
    description:
      'Sent for every booking that an operator deletes, at least once. A deletion is final: ignore the event of the creation if it arrives later, and acknowledge the deletion of an unknown booking.',
    schema: bookingDeletedEventSchema,
    example: bookingDeletedExample,
  },
  ping: {
    summary: 'A test of an endpoint (preview)',
    description: 'Sent once, if the operator requests it, and signed like every event.',
    schema: pingEventSchema,
    example: pingExample,
  },
} as const satisfies Record<string, Webhook>;
