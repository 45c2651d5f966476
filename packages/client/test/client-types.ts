/** Types that must compile, and types that must not: `tsc --noEmit` checks both. */
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

export function memberOf(failure: AnyBookingsError): string | number | undefined {
  if (failure.name === 'SlotTakenError') return failure.conflictingSlot?.start;
  if (failure.name === 'InvalidBookingError') return failure.errors.length;
  if (failure.name === 'RateLimitedError') return failure.retryAfter;
  if (failure.name === 'ProblemError') return failure.problem.title;
  if (failure.name === 'UnexpectedResponseError') return failure.requestId;
  // @ts-expect-error: without a response, there is no status
  if (failure.name === 'ConnectionError' || failure.name === 'TimeoutError') return failure.status;
  return failure.status;
}

if (isBookingsError(error) && error.name === 'SlotTakenError') void error.conflictingSlot;
// @ts-expect-error: no error has this name
if (isBookingsError(error) && error.name === 'SlotTaken') throw error;

/** A `Date` comes back as a string, even in the creator's own members. */
const booked = await client.create({ slot: { ...slot, start: new Date() }, guest: 'Ada' });
export const start: string | undefined = booked.slot?.start;
export const page = client.list({ from: new Date(), to: '2026-12-01T10:00:00Z' });
declare const arrivals: BookingsClient<{ arrival: Date; stops?: { at: Date }[] }>;
const arrived = await arrivals.create({ arrival: new Date() });
export const times: [string, string | undefined] = [arrived.arrival, arrived.stops?.[0]?.at];
declare const branded: BookingsClient<{ room: string & { readonly __brand: 'Room' } }>;
export const room: string & { readonly __brand: 'Room' } = (await branded.get('b1')).room;
export const unset = client.list({
  limit: undefined,
  cursor: undefined,
  resource_id: undefined,
  from: undefined,
  to: undefined,
  sort: undefined,
});
// @ts-expect-error: not an instant
export const badWindow = client.list({ from: 7 });
// @ts-expect-error: the creator's own members are checked
export const badGuest = client.create({ slot, guest: 7 });

type NotTaken = Exclude<keyof CreateBookingDto<object>, keyof NewBooking<object>>;
export const takesEveryMember = (member: NotTaken): never => member;

// @ts-expect-error: no such option
export const badOption = client.list({}, { retries: 5 });
// @ts-expect-error: only a create has a key
export const badKey = client.get('b1', { idempotencyKey: 'k' });

const { data, status, headers, requestId, replayed } = await client.get('b1').withResponse();
export const booking: BookingDto<{ guest: string }> = data;
export const rest: [number, string | null, string | undefined, boolean] = [
  status,
  headers.get('etag'),
  requestId,
  replayed,
];
