import {
  bookingCreatedEventSchema,
  bookingCreatedExample,
  bookingDeletedEventSchema,
  bookingDeletedExample,
  eventTypes,
  type Webhook,
  webhookHeaders,
  type WebhookName,
  webhooks,
} from '../src/events.js';
import { bookingExample, validate } from '../src/index.js';

describe('the webhooks', () => {
  it.each(Object.entries<Webhook>(webhooks))(
    'are labelled as a preview, and have an example that keeps to its schema: %s',
    (name, { summary, schema, example }) => {
      expect(summary).toMatch(/\(preview\)$/);
      expect(validate(schema, example)).toEqual({ value: example });
      expect(example).toHaveProperty('type', eventTypes[name as keyof typeof eventTypes]);
    },
  );

  it('have the headers of Standard Webhooks, whose examples keep to their patterns', () => {
    expect(Object.keys(webhookHeaders)).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature']);
    for (const { schema, example } of Object.values(webhookHeaders))
      expect(example).toMatch(new RegExp(schema.pattern));
  });
});

describe('an event', () => {
  it('of a created booking has the booking, its id and its time', () => {
    const { booking_id: id, created_at: time } = bookingExample;
    expect(bookingCreatedExample).toMatchObject({ id: `created-${id}`, subject: id, time, data: bookingExample });
  });

  it('of a deleted booking has the id, the slot and the time of the deletion, and nothing else of it', () => {
    const { booking_id, slot } = bookingExample;
    expect(bookingDeletedExample).toMatchObject({ subject: booking_id, time: bookingDeletedExample.data.deleted_at });
    expect(bookingDeletedExample.data).toEqual({ booking_id, slot, deleted_at: bookingDeletedExample.time });
  });

  it('of a deleted booking has no slot where the booking had none', () => {
    const { slot: _, ...data } = bookingDeletedExample.data;
    expect(bookingDeletedEventSchema.safeParse({ ...bookingDeletedExample, data }).success).toBe(true);
  });

  it('may have members that are added later', () => {
    const later = { ...bookingCreatedExample, traceparent: '00-4bf9' };
    expect(bookingCreatedEventSchema.parse(later)).toEqual(later);
  });

  it.each<[WebhookName, object]>([
    ...Object.keys(bookingCreatedExample).map((name): [WebhookName, object] => [
      'bookingCreated',
      { [name]: undefined },
    ]),
    ['bookingCreated', { specversion: '0.3' }],
    ['bookingCreated', { type: eventTypes.ping }],
    ['bookingCreated', { id: 'ping-1' }],
    ['bookingCreated', { datacontenttype: 'text/plain' }],
    ['bookingCreated', { time: 'yesterday' }],
    ['bookingCreated', { data: {} }],
    ['bookingDeleted', { type: eventTypes.bookingCreated }],
    ['bookingDeleted', { id: bookingCreatedExample.id }],
    ['bookingDeleted', { subject: undefined }],
    ['bookingDeleted', { data: { booking_id: bookingExample.booking_id } }],
    ['ping', { id: bookingCreatedExample.id }],
    ['ping', { data: undefined }],
  ])('has no other value than the contract says: %s, %j', (name, change) => {
    const { schema, example } = webhooks[name];
    expect(schema.safeParse({ ...example, ...change }).success).toBe(false);
  });
});
