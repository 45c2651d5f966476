import type * as z from 'zod';
import { bookingCreatedEventSchema, bookingDeletedEventSchema, pingEventSchema } from './event-schemas.js';
import { bookingExample } from './examples.js';

/** The event of the booking of the examples. */
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

/** The event of its deletion. */
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

/** A test of an endpoint. */
export const pingExample = {
  specversion: '1.0',
  id: 'ping-5f0c7a1e-2d7b-4b57-9a43-6b8f5d0f9c11',
  source: '/v1/bookings',
  type: 'bookings.ping',
  time: '2025-11-20T14:55:00.000Z',
  datacontenttype: 'application/json',
  data: {},
};

/** The headers of an event other than its content type, as the OpenAPI document describes them. Every event has them all. */
export const webhookHeaders = {
  'webhook-id': {
    description: '`id` of the event, the same in every attempt (Standard Webhooks 1.0)',
    schema: { type: 'string', maxLength: 263, pattern: '^[A-Za-z0-9._~-]+$' },
    example: bookingCreatedExample.id,
  },
  'webhook-timestamp': {
    description: 'When this attempt was made, in seconds since 1970-01-01T00:00:00Z',
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

const LATER = 'Sent again later, after `Retry-After` if there is one; other events of the endpoint wait meanwhile';

/** What each status of a receiver means to the service; the most specific one counts. No content is read. */
export const webhookResponses = {
  '2XX': 'Acknowledged. The event is not sent to this endpoint again, unless the acknowledgement is lost',
  '3XX': `Not followed. ${LATER}`,
  '410': 'The endpoint wants no more events. It gets none until the operator configures it anew',
  '4XX': LATER,
  '5XX': LATER,
} as const;

export interface Webhook {
  summary: string;
  /** In CommonMark. */
  description: string;
  schema: z.ZodObject;
  example: object;
}

/** What the service sends by itself, to the endpoints that its operator configures. */
export const webhooks = {
  bookingCreated: {
    summary: 'A booking was created (preview)',
    description:
      'Sent for every booking, at least once, to every endpoint that the operator of the service configures; by default there is none. Events come in no order: the event of a booking may arrive before the deletion of the one that held its slot. An event may come again, with the same `webhook-id`.',
    schema: bookingCreatedEventSchema,
    example: bookingCreatedExample,
  },
  bookingDeleted: {
    summary: 'An operator deleted a booking (preview)',
    description:
      'Sent for every booking that an operator deletes, at least once. A deletion is final: ignore an event of the creation that arrives after it, and acknowledge a deletion of a booking that you do not know.',
    schema: bookingDeletedEventSchema,
    example: bookingDeletedExample,
  },
  ping: {
    summary: 'A test of an endpoint (preview)',
    description: 'Sent once at the request of the operator, signed like every event.',
    schema: pingEventSchema,
    example: pingExample,
  },
} as const satisfies Record<string, Webhook>;

export type WebhookName = keyof typeof webhooks;
