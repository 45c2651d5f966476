import { breakingChanges } from '../src/document-changes.js';
import { type Change, committedDocument, foundAfter, text } from './support/committed-document.js';

const event = 'in webhooks, BookingCreatedEvent';
const webhook = 'webhook POST bookingCreated';
const TYPE = 'application/cloudevents+json';

describe('A webhook', () => {
  it.each<[string, Change, string]>([
    ['all of it', ({ document }) => delete document.webhooks['bookingCreated'], `${webhook}: is gone`],
    ['its method', ({ document }) => delete document.webhooks['bookingCreated']!['post'], `${webhook}: is gone`],
    [
      'a member',
      ({ schemas }) => delete schemas.BookingCreatedEvent.properties['sequence'],
      `${event}.sequence: is gone`,
    ],
    [
      'a member of the booking',
      ({ schemas }) => delete schemas.Booking.properties['created_at'],
      'in webhooks, Booking.created_at: is gone',
    ],
    [
      'a header',
      ({ created }) => created.parameters.pop(),
      `${webhook}, header parameter bookings-previous-sequence: is gone`,
    ],
    [
      'its media type',
      ({ created }) => delete created.requestBody.content[TYPE],
      `${webhook}, body: is no longer sent as`,
    ],
    ['its body', ({ created }) => delete (created as Partial<typeof created>).requestBody, `${webhook}, body: is no`],
    ['a status', ({ created }) => delete created.responses['410'], `${webhook}, 410: is no response to it any more`],
  ])('breaks receivers when it loses %s', (_what, change, message) => {
    expect(foundAfter(change).join('\n')).toContain(message);
  });

  it.each<[string, Change, string]>([
    [
      'a member that may be missing',
      ({ schemas }) => schemas.BookingCreatedEvent.required.splice(0, 1),
      `${event}.specversion: may be missing, and was always there`,
    ],
    [
      'a looser member',
      ({ schemas }) => delete schemas.BookingCreatedEvent.properties['sequence']!['pattern'],
      `${event}.sequence: \`pattern\` was \`"^[0-9]{19}$"\` and is nothing`,
    ],
    [
      'another type of event',
      ({ schemas }) => (schemas.BookingCreatedEvent.properties['type']!['const'] = 'bookings.created'),
      `${event}.type: "bookings.booking.created" is gone`,
    ],
    [
      'another type of a member',
      ({ schemas }) => (schemas.BookingCreatedEvent.properties['sequence'] = { type: 'integer' } as never),
      `${event}.sequence: its type was`,
    ],
    [
      'a header that may be missing',
      ({ created }) => (created.parameters[0]!.required = false),
      `${webhook}, header parameter webhook-id: may be missing, and was always there`,
    ],
    [
      'a looser header',
      ({ created }) => (created.parameters[0]!.schema = text()),
      `${webhook}, header parameter webhook-id: \`pattern\` was`,
    ],
    [
      'another media type beside its own',
      ({ created }) => (created.requestBody.content['text/plain'] = { schema: text() }),
      `${webhook}, body: may be sent as text/plain, and was not`,
    ],
    ['another name', ({ created }) => (created.operationId = 'created'), `${webhook}: \`operationId\` was`],
    [
      'a response that needs a header',
      ({ created }) => (created.responses['2XX']!.headers = { 'X-Seen': { required: true, schema: text() } }),
      `${webhook}, 2XX: has other headers or content`,
    ],
  ])('breaks receivers with %s', (_what, change, message) => {
    expect(foundAfter(change).join('\n')).toContain(message);
  });

  it.each<[string, Change]>([
    ['a webhook', ({ document, created }) => (document.webhooks['later'] = { post: { ...created, operationId: 'x' } })],
    [
      'a member that is always there',
      ({ schemas }) => {
        schemas.BookingCreatedEvent.properties['traceparent'] = text();
        schemas.BookingCreatedEvent.required.push('traceparent');
      },
    ],
    [
      'a header',
      ({ created }) => created.parameters.push({ name: 'traceparent', in: 'header', required: true, schema: text() }),
    ],
    ['a status with a meaning of its own', ({ created }) => (created.responses['409'] = created.responses['410']!)],
    ['other words', ({ created }) => (created.responses['410']!.description = 'Gone')],
  ])('breaks nobody with one more: %s', (_what, change) => {
    expect(foundAfter(change)).toEqual([]);
  });

  it('breaks nobody where there was none', () => {
    const { webhooks: _, ...before } = committedDocument().document;
    expect(breakingChanges(before, committedDocument().document)).toEqual([]);
  });
});
