/**
 * What the types promise. There is nothing to run: `tsc --noEmit` goes red where a line is not as it says.
 */
import type { CreateBookingDto } from '@booking-service/contracts';
import {
  type AnyBookingsError,
  type BookingDto,
  BookingsClient,
  isBookingsError,
  type NewBooking,
  type SlotDto,
} from '../src/index.js';

declare const client: BookingsClient<{ guest: string }>;
declare const error: unknown;
declare const slot: SlotDto;

/** In a `switch` over the name every error has its own members. */
export function adviceFor(failure: AnyBookingsError): string | number | undefined {
  switch (failure.name) {
    case 'SlotTakenError':
      return failure.conflictingSlot?.start;
    case 'InvalidBookingError':
      return failure.errors.length;
    case 'RateLimitedError':
    case 'UnavailableError':
    case 'InternalError':
      return failure.retryAfter;
    case 'ProblemError':
      return failure.problem.title;
    case 'UnexpectedResponseError':
      return failure.requestId;
    case 'ConnectionError':
    case 'TimeoutError':
      // @ts-expect-error: no response, no status
      return failure.status;
    case 'IdempotencyKeyReusedError':
    case 'InvalidRequestError':
    case 'UnauthenticatedError':
    case 'ForbiddenError':
    case 'BookingNotFoundError':
      return failure.status;
  }
  // Every name has its case.
  return failure satisfies never;
}

if (isBookingsError(error) && error.name === 'SlotTakenError') void error.conflictingSlot;
// @ts-expect-error: no error has this name
if (isBookingsError(error) && error.name === 'SlotTaken') throw error;

// A Date goes in; a text comes out, as in every response.
const booked = await client.create({ slot: { ...slot, start: new Date() }, guest: 'Ada' });
export const start: string | undefined = booked.slot?.start;
export const page = client.list({ from: new Date(), to: '2026-12-01T10:00:00Z' });
// Also of an own member.
declare const arrivals: BookingsClient<{ arrival: Date; stops?: { at: Date }[] }>;
const arrived = await arrivals.create({ arrival: new Date() });
export const times: [string, string | undefined] = [arrived.arrival, arrived.stops?.[0]?.at];
// @ts-expect-error: not an instant
export const badWindow = client.list({ from: 7 });
// @ts-expect-error: a resource is no instant
export const badResource = client.list({ resource_id: new Date() });
// Every member that the contract lets a create send.
type NotTaken = Exclude<keyof CreateBookingDto<object>, keyof NewBooking<object>>;
export const takesEveryMember = (member: NotTaken): never => member;
// @ts-expect-error: the creator's own members are checked
export const badGuest = client.create({ slot, guest: 7 });

if (isBookingsError(error) && error.name === 'ProblemError') {
  if (error.problem.type === 'about:blank') throw error;
  // @ts-expect-error: no problem has this type
  if (error.problem.type === 'urn:problem-type:bookings:slot-token') throw error;
}

// @ts-expect-error: there is no such option
export const badOption = client.list({}, { retries: 5 });
// @ts-expect-error: a key is for a create
export const badKey = client.get('b1', { idempotencyKey: 'k' });
// @ts-expect-error: there is no such hook
export const badHook = new BookingsClient({ baseUrl: '', hooks: { onRequest() {} } });

const { data, status, headers, requestId, replayed } = await client.get('b1').withResponse();
export const withResponse: [BookingDto<{ guest: string }>, number, string | null, string | undefined, boolean] = [
  data,
  status,
  headers.get('etag'),
  requestId,
  replayed,
];
