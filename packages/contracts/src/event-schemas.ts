import * as z from 'zod';
import { bookingSchema, idForm, instantSchema, slotSchema, URL_SAFE } from './booking.js';

/** The `type` of each event (CloudEvents 1.0 §3.1), by its name in the OpenAPI document. */
export const eventTypes = {
  bookingCreated: 'bookings.booking.created',
  bookingDeleted: 'bookings.booking.deleted',
  ping: 'bookings.ping',
} as const;

/** The media type of an event in structured mode (CloudEvents, HTTP Protocol Binding §3.2). */
export const EVENT_MEDIA_TYPE = 'application/cloudevents+json';

const time = instantSchema.meta({ examples: ['2026-11-20T18:12:03.417Z'] });

const specversion = z.literal('1.0').meta({ description: 'Version of CloudEvents' });
const source = z
  .string()
  .min(1)
  .meta({
    description: 'The service that sends the event: a URI reference that its operator chooses',
    format: 'uri-reference',
    maxLength: 2_000,
    examples: ['/v1/bookings'],
  });
const datacontenttype = z.literal('application/json').meta({ description: 'Media type of `data`' });

const subject = z.string().meta({ description: 'Id of the booking', ...idForm });

const idWith = (prefix: 'created-' | 'deleted-') =>
  z
    .string()
    .regex(new RegExp(`^${prefix}${URL_SAFE}$`))
    .meta({
      description: `Id of the event: \`${prefix}\` and the id of the booking. The same in every attempt`,
      maxLength: 263,
    });

const createdMembers = {
  specversion,
  id: idWith('created-'),
  source,
  type: z.literal(eventTypes.bookingCreated),
  time: time.meta({ description: '`created_at` of the booking' }),
  subject,
  datacontenttype,
};

/** A booking was created. `data` is the booking, byte for byte as a get returns it. */
export const bookingCreatedEventSchema = z.looseObject({ ...createdMembers, data: bookingSchema }).meta({
  id: 'BookingCreatedEvent',
  description: 'A booking was created (CloudEvents 1.0 in structured mode). `data` is the booking, as a get returns it',
});

const deletionMembers = {
  booking_id: bookingSchema.shape.booking_id,
  slot: slotSchema.optional(),
  deleted_at: time.meta({ description: 'When the booking was deleted; UTC, milliseconds' }),
};

const deletedMembers = {
  specversion,
  id: idWith('deleted-'),
  source,
  type: z.literal(eventTypes.bookingDeleted),
  time: time.meta({ description: '`deleted_at` of `data`' }),
  subject,
  datacontenttype,
};

/** An operator deleted a booking. `data` has its id, its slot if it had one, and `deleted_at`, but not its details. */
export const bookingDeletedEventSchema = z
  .looseObject({
    ...deletedMembers,
    data: z
      .looseObject(deletionMembers)
      .meta({ description: 'The id of the booking, the time of its deletion, and its slot, if it had one' }),
  })
  .meta({
    id: 'BookingDeletedEvent',
    description:
      "An operator deleted a booking (CloudEvents 1.0 in structured mode). `data` has its slot, but none of the creator's members",
  });

const pingMembers = {
  specversion,
  id: z
    .string()
    .regex(/^ping-[A-Za-z0-9-]+$/)
    .meta({ description: 'Id of the event', maxLength: 100 }),
  source,
  type: z.literal(eventTypes.ping),
  time: time.meta({ description: 'When the ping was requested' }),
  datacontenttype,
  data: z.looseObject({}).meta({ description: 'Nothing' }),
};

/** A test of an endpoint, sent at an operator's request. */
export const pingEventSchema = z.looseObject(pingMembers).meta({
  id: 'PingEvent',
  description: 'A test of an endpoint by its operator',
});
