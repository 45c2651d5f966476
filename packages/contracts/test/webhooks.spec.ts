import {
  bookingCreatedEventSchema,
  bookingCreatedExample,
  bookingDeletedEventSchema,
  bookingDeletedExample,
  eventTypes,
  type Webhook,
  webhookHeaders,
  webhookResponses,
  webhooks,
} from '../src/events.js';
import { bookingExample, validate } from '../src/index.js';

const all = Object.values<Webhook>(webhooks);

describe('the webhooks', () => {
  it('are a created booking, a deleted one and a ping, each of an event with a type of its own', () => {
    expect(all.map(({ schema }) => schema.shape['type']!.def)).toEqual(
      Object.values(eventTypes).map((type) => expect.objectContaining({ values: [type] })),
    );
  });

  it('are labelled as a preview', () => {
    for (const { summary } of all) expect(summary).toMatch(/\(preview\)$/);
  });

  it('have examples that keep to their schemas', () => {
    for (const { schema, example } of all) expect(validate(schema, example)).toEqual({ value: example });
  });

  it('have the headers of Standard Webhooks, whose examples keep to their patterns', () => {
    expect(Object.keys(webhookHeaders)).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature']);
    for (const { schema, example } of Object.values(webhookHeaders))
      expect(example).toMatch(new RegExp(schema.pattern));
  });

  it('say of every status what it means', () => {
    expect(Object.keys(webhookResponses)).toEqual(expect.arrayContaining(['2XX', '3XX', '4XX', '5XX', '410']));
  });
});

describe('the event of a created booking', () => {
  it('has the booking, its id and its time', () => {
    const { booking_id: id, created_at: time } = bookingExample;
    expect(bookingCreatedExample).toMatchObject({ id: `created-${id}`, subject: id, time, data: bookingExample });
  });

  it('may have members that are added later', () => {
    const later = { ...bookingCreatedExample, traceparent: '00-4bf9' };
    expect(bookingCreatedEventSchema.parse(later)).toEqual(later);
  });

  it.each(Object.keys(bookingCreatedExample))('always has its member %s', (name) => {
    const without = Object.fromEntries(Object.entries(bookingCreatedExample).filter(([each]) => each !== name));
    expect(bookingCreatedEventSchema.safeParse(without).success).toBe(false);
  });

  it.each([
    ['specversion', '0.3'],
    ['type', eventTypes.ping],
    ['id', 'ping-1'],
    ['datacontenttype', 'text/plain'],
    ['time', 'yesterday'],
    ['data', {}],
  ])('has no other %s than the contract says: %j', (name, value) => {
    expect(bookingCreatedEventSchema.safeParse({ ...bookingCreatedExample, [name]: value }).success).toBe(false);
  });
});

describe('the event of a deleted booking', () => {
  it('has the id, the slot and the time of the deletion, and nothing else of the booking', () => {
    const { booking_id, slot } = bookingExample;
    expect(bookingDeletedExample).toMatchObject({ subject: booking_id, time: bookingDeletedExample.data.deleted_at });
    expect(bookingDeletedExample.data).toEqual({ booking_id, slot, deleted_at: bookingDeletedExample.time });
  });

  it('has no slot where the booking had none', () => {
    const { slot: _, ...data } = bookingDeletedExample.data;
    expect(bookingDeletedEventSchema.safeParse({ ...bookingDeletedExample, data }).success).toBe(true);
  });

  it.each([
    ['type', eventTypes.bookingCreated],
    ['id', bookingCreatedExample.id],
    ['subject', undefined],
    ['data', { booking_id: bookingExample.booking_id }],
  ])('has no other %s than the contract says: %j', (name, value) => {
    expect(bookingDeletedEventSchema.safeParse({ ...bookingDeletedExample, [name]: value }).success).toBe(false);
  });
});
