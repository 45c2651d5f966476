import type { BookingDto, BookingPageDto, CreateBookingDto, ProblemName } from '@booking-service/contracts';
import { forbidden, unauthenticated } from '../auth/bearer.guard.js';
import { type BookingSchema, slotExample } from '../booking-schema/booking-schema.js';
import { type Booking, NewBooking, toInstant } from '../bookings/booking.js';
import {
  BookingNotFound,
  IdempotencyKeyReused,
  InvalidCursor,
  SlotTaken,
  StoreUnavailable,
} from '../bookings/booking.errors.js';
import { positionOf, toCursor } from '../bookings/cursor.js';
import { JSON_TYPE } from '../http/answer.js';
import { Problem } from '../http/problem.js';
import { rateLimited } from '../rate-limit/rate-limit.guard.js';
import { toProblem } from '../http/problem.filter.js';

interface PayloadExample {
  summary: string;
  value: CreateBookingDto;
}

/** Create payloads, by what they show. */
export const payloadExamples = {
  'with-slot': {
    summary: 'A room for an hour',
    value: { slot: slotExample, guest: { name: 'Ada' }, note: 'window seat' },
  },
  'without-slot': { summary: 'A booking that holds nothing', value: { guest: { name: 'Grace' }, waiting_list: true } },
} satisfies Record<string, PayloadExample>;

const IDS = ['019aa1c2-6d1e-7c3a-9f0b-1f6f2f0d7a55', '019aa1c2-58c4-7e01-8d6e-2b7d2a4c9e10'] as const;

/** The payloads that are shown, and the bookings that they would make. */
export interface BookingExamples {
  payloads: Record<string, PayloadExample>;
  booking: BookingDto;
  page: BookingPageDto;
}

function bookingExamples(payloads: Record<string, PayloadExample>): BookingExamples {
  const [first, second] = Object.values(payloads);
  const newest = new NewBooking(IDS[0], first!.value);
  const last = new NewBooking(IDS[1], (second ?? first!).value);
  return {
    payloads,
    booking: toDto(newest),
    page: {
      bookings: [toDto(newest), toDto(last)],
      next_cursor: toCursor(positionOf(last, '-created_at'), { sort: '-created_at' }),
    },
  };
}

export const { booking: bookingExample, page: pageExample } = bookingExamples(payloadExamples);

/** The examples of a deployment with a schema of its own, where it has some; else those of the preview. */
export function examplesOf({ examples }: BookingSchema): BookingExamples {
  const named = examples.map((value, index) => [`example-${index + 1}`, { summary: `Example ${index + 1}`, value }]);
  return bookingExamples(
    named.length === 0 ? payloadExamples : (Object.fromEntries(named) as Record<string, PayloadExample>),
  );
}

/** A problem of each type, as the service would answer it. */
export const problemExamples: Record<ProblemName, Problem> = {
  'invalid-request': toProblem(new InvalidCursor()),
  unauthenticated: unauthenticated('The token has expired.', 'invalid_token'),
  forbidden: forbidden('bookings:write'),
  'booking-not-found': toProblem(new BookingNotFound()),
  'route-not-found': new Problem('route-not-found', 'There is nothing at this path.'),
  'method-not-allowed': new Problem('method-not-allowed', 'This path takes GET, HEAD, POST, OPTIONS.'),
  'request-timeout': new Problem('request-timeout', 'The request was not there as a whole in time.'),
  'slot-taken': toProblem(
    new SlotTaken({
      resourceId: slotExample.resource_id,
      start: toInstant(slotExample.start),
      end: toInstant(slotExample.end),
    }),
  ),
  'payload-too-large': new Problem('payload-too-large', 'The body is larger than 65536 bytes.'),
  'unsupported-media-type': new Problem('unsupported-media-type', 'The body is not application/json in UTF-8.', {
    headers: { Accept: JSON_TYPE, 'Accept-Encoding': 'identity' },
  }),
  'expectation-failed': new Problem('expectation-failed', 'The one expectation that is met is 100-continue.'),
  'invalid-booking': new Problem('invalid-booking', 'The payload breaks the rules for a booking. See `errors`.', {
    errors: [{ pointer: '#/slot/end', detail: 'is not after start' }],
  }),
  'idempotency-key-reused': toProblem(new IdempotencyKeyReused()),
  'rate-limited': rateLimited(7),
  'headers-too-large': new Problem('headers-too-large', 'The headers are larger than 16384 bytes.'),
  internal: toProblem(new Error('hidden')),
  unavailable: toProblem(new StoreUnavailable('The service cannot reach its database.', 1)),
};

function toDto({ json }: Booking): BookingDto {
  return JSON.parse(json) as BookingDto;
}
