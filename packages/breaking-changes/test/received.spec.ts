import { type Change, foundAfter, text } from './support/committed-document.js';

describe('What consumers get', () => {
  const page = 'in responses, BookingPage';
  const booking = 'in responses, Booking';

  it.each<[string, Change, string]>([
    [
      'loses a member',
      ({ schemas }) => delete schemas.Booking.properties['booking_id'],
      `${booking}.booking_id: is gone`,
    ],
    [
      'loses an optional member',
      ({ schemas }) => delete schemas.Problem.properties['errors'],
      'in responses, Problem.errors: is gone',
    ],
    [
      'has a member less surely',
      ({ schemas }) => schemas.Booking.required.pop(),
      `${booking}.created_at: may be missing, and was always there`,
    ],
    [
      'has another type',
      ({ schemas }) => (schemas.Booking.properties['booking_id']!['type'] = 'integer'),
      `${booking}.booking_id: its type was \`"string"\` and is \`"integer"\``,
    ],
    [
      'has one more type',
      ({ schemas }) => (schemas.Booking.properties['booking_id']!['type'] = ['string', 'null']),
      `${booking}.booking_id: its type was \`"string"\` and is \`["string","null"]\``,
    ],
    [
      'has a narrower type',
      ({ schemas }) => (schemas.BookingPage.properties['next_cursor']!['type'] = 'string'),
      `${page}.next_cursor: its type was \`["string","null"]\` and is \`"string"\``,
    ],
    [
      'is wider',
      ({ schemas }) => (schemas.Slot.properties['resource_id']!['maxLength'] = 300),
      'in responses, Slot.resource_id: `maxLength` was `200` and is `300`',
    ],
    [
      'has no format',
      ({ schemas }) => delete schemas.Booking.properties['created_at']!['format'],
      `${booking}.created_at: \`format\` was \`"date-time"\` and is nothing`,
    ],
    [
      'lists something else',
      ({ schemas }) => (schemas.BookingPage.properties['bookings']!['items'] = text()),
      `${page}.bookings[]: its type was \`"object"\` and is \`"string"\``,
    ],
    [
      'has no problem type that it had',
      ({ document }) => {
        const rejected = document.components.schemas['InvalidBookingOrIdempotencyKeyReusedProblem']!;
        rejected.allOf[1]!.properties['type']!.enum.pop();
      },
      'in responses, InvalidBookingOrIdempotencyKeyReusedProblem.type: "urn:problem-type:bookings:idempotency-key-reused" is gone',
    ],
    [
      'has a value that was not listed',
      ({ document }) =>
        (document.components.headers['Idempotent-Replayed'] = { schema: { type: 'string', enum: ['true', 'false'] } }),
      'POST /v1/bookings, 201, header Idempotent-Replayed: "false" is a new value that may be received',
    ],
    [
      'has any value',
      ({ document }) => (document.components.headers['Idempotent-Replayed'] = { schema: { type: 'string' } }),
      'POST /v1/bookings, 201, header Idempotent-Replayed: is not bound to "true" any more',
    ],
  ])('breaks consumers when it %s', (_what, change, message) => {
    expect(foundAfter(change)).toContain(message);
  });

  it.each<[string, Change]>([
    ['a member', ({ schemas }) => (schemas.Booking.properties['state'] = text())],
    [
      'a member that is always there',
      ({ schemas }) => {
        schemas.Booking.properties['state'] = text();
        schemas.Booking.required.push('state');
      },
    ],
    [
      'a problem type',
      ({ document, schemas }) => {
        const type = 'urn:problem-type:bookings:closed';
        schemas.Problem.properties['type']!.enum.push(type);
        document.components.schemas['SlotTakenProblem']!.allOf[1]!.properties['type']!.enum.push(type);
      },
    ],
  ])('breaks nobody with a new member or problem type: %s', (_what, change) => {
    expect(foundAfter(change)).toEqual([]);
  });
});
