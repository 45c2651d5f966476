import {
  authenticationProblems,
  bookingPageSchema,
  bookingSchema,
  createBookingSchema,
  listBookingsQuerySchema,
  operations,
  problemTypes,
  scopes,
  type Operation,
  type ProblemName,
} from '../src/index.js';

const all: Operation[] = Object.values(operations);
const answering = (name: ProblemName) =>
  Object.entries<Operation>(operations)
    .filter(([, { problems }]) => problems.includes(name))
    .map(([id]) => id);

describe('the operations', () => {
  it('are the three of the specification, by exactly its methods and paths', () => {
    expect(Object.entries(operations).map(([id, { method, path }]) => [id, method, path])).toEqual([
      ['listBookings', 'GET', '/v1/bookings'],
      ['createBooking', 'POST', '/v1/bookings'],
      ['getBooking', 'GET', '/v1/bookings/{booking_id}'],
    ]);
  });

  it('are labelled as a preview', () => {
    for (const { summary } of all) expect(summary).toMatch(/\(preview\)$/);
  });

  it('answer 200 to a list and to a get, 201 to a create', () => {
    expect(operations.listBookings.success).toEqual({ status: 200, schema: bookingPageSchema });
    expect(operations.createBooking.success).toEqual({ status: 201, schema: bookingSchema });
    expect(operations.getBooking.success).toEqual({ status: 200, schema: bookingSchema });
  });

  it('take a query where they list and a body where they create', () => {
    expect(all.map(({ query }) => query)).toEqual([listBookingsQuerySchema, undefined, undefined]);
    expect(all.map(({ body }) => body)).toEqual([undefined, createBookingSchema, undefined]);
  });

  it('need a token that reads where they read, and one that writes where they write', () => {
    expect(scopes).toEqual(['bookings:read', 'bookings:write']);
    for (const { method, scope } of all) expect(scope).toBe(method === 'GET' ? 'bookings:read' : 'bookings:write');
  });

  it('answer the problems of a token all alike, and none of them by itself', () => {
    for (const name of authenticationProblems) expect(answering(name)).toEqual([]);
    expect(authenticationProblems.map((name) => problemTypes[name].status)).toEqual([401, 403]);
  });

  it('answer problems that exist, each named once', () => {
    for (const { problems } of all) {
      expect(Object.keys(problemTypes)).toEqual(expect.arrayContaining([...problems]));
      expect(new Set(problems).size).toBe(problems.length);
      expect(problems).toEqual(expect.arrayContaining(['internal', 'unavailable']));
    }
  });

  it('answer what only they can: a taken slot to a create, a booking that is not there to a get', () => {
    expect(answering('slot-taken')).toEqual(['createBooking']);
    expect(answering('invalid-booking')).toEqual(['createBooking']);
    expect(answering('idempotency-key-reused')).toEqual(['createBooking']);
    expect(answering('booking-not-found')).toEqual(['getBooking']);
  });
});

describe('an answer', () => {
  const booking = { booking_id: '019aa1c2', created_at: '2026-11-20T18:12:03.417Z' };

  it('is a booking with its id and the instant it was made, whatever else it has', () => {
    const whole = { ...booking, guest: { name: 'Ada' }, added_later: [1] };
    expect(bookingSchema.parse(whole)).toEqual(whole);
    expect(bookingSchema.safeParse({ created_at: booking.created_at }).success).toBe(false);
    expect(bookingSchema.safeParse({ booking_id: 'x', created_at: 'yesterday' }).success).toBe(false);
    expect(bookingSchema.safeParse({ ...booking, slot: null }).success).toBe(false);
  });

  it('is a page of bookings with the cursor of the next, or null', () => {
    for (const next_cursor of ['abc', null]) {
      const page = { bookings: [booking], next_cursor };
      expect(bookingPageSchema.parse(page)).toEqual(page);
    }
    expect(bookingPageSchema.safeParse({ bookings: [] }).success).toBe(false);
  });
});
