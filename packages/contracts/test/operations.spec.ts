import {
  authenticationProblems,
  bookingPageSchema,
  bookingSchema,
  createBookingSchema,
  listBookingsQuerySchema,
  operations,
  payloadExamples,
  problemTypes,
  requestHeaders,
  responseHeaders,
  scopes,
  type Operation,
  type ProblemName,
  validate,
} from '../src/index.js';

const all: Operation[] = Object.values(operations);
const withProblem = (name: ProblemName) =>
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

  it('respond 200 to a list and to a get, 201 to a create', () => {
    expect(all.map(({ success: { status, schema } }) => [status, schema])).toEqual([
      [200, bookingPageSchema],
      [201, bookingSchema],
      [200, bookingSchema],
    ]);
  });

  it('have examples that keep to their schemas', () => {
    for (const { success } of all)
      expect(validate(success.schema, success.example)).toEqual({ value: success.example });
    for (const { value } of Object.values(payloadExamples))
      expect(validate(createBookingSchema, value)).toEqual({ value });
  });

  it('have headers whose examples keep to their patterns', () => {
    const withExample = Object.values(responseHeaders).filter((header) => 'example' in header);
    for (const { schema, example } of withExample) expect(example).toMatch(new RegExp(schema.pattern));
    const { pattern, examples } = requestHeaders['Idempotency-Key'].schema;
    for (const example of examples) expect(example).toMatch(new RegExp(pattern));
  });

  it('take a query where they list and a body where they create', () => {
    expect(all.map(({ query }) => query)).toEqual([listBookingsQuerySchema, undefined, undefined]);
    expect(all.map(({ body }) => body)).toEqual([undefined, createBookingSchema, undefined]);
  });

  it('need a token that reads where they read, and one that writes where they write', () => {
    expect(scopes).toEqual(['bookings:read', 'bookings:write']);
    for (const { method, scope } of all) expect(scope).toBe(method === 'GET' ? 'bookings:read' : 'bookings:write');
  });

  it('share the problems of a token, and none has them by itself', () => {
    for (const name of authenticationProblems) expect(withProblem(name)).toEqual([]);
    expect(authenticationProblems.map((name) => problemTypes[name].status)).toEqual([401, 403]);
  });

  it('have problems that exist, each named once', () => {
    for (const { problems } of all) {
      expect(Object.keys(problemTypes)).toEqual(expect.arrayContaining([...problems]));
      expect(new Set(problems).size).toBe(problems.length);
      expect(problems).toEqual(expect.arrayContaining(['internal', 'unavailable']));
    }
  });

  it('have problems of their own: a taken slot of a create, a missing booking of a get', () => {
    expect(withProblem('slot-taken')).toEqual(['createBooking']);
    expect(withProblem('invalid-booking')).toEqual(['createBooking']);
    expect(withProblem('idempotency-key-reused')).toEqual(['createBooking']);
    expect(withProblem('booking-not-found')).toEqual(['getBooking']);
  });
});

describe('a response', () => {
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
