import type { OperationId, operations } from '@booking-service/contracts';
import type { CreateBookingDto, ListBookingsQueryDto } from './types.js';

type Routes = {
  readonly [Id in OperationId]: Pick<(typeof operations)[Id], 'method' | 'path'> & {
    readonly status: (typeof operations)[Id]['success']['status'];
  };
};

/** Parts of `operations`, copied and checked against its type: importing the value would add the schemas and Zod. */
export const routes = {
  listBookings: { method: 'GET', path: '/v1/bookings', status: 200 },
  createBooking: { method: 'POST', path: '/v1/bookings', status: 201 },
  getBooking: { method: 'GET', path: '/v1/bookings/{booking_id}', status: 200 },
} as const satisfies Routes;

/** An RFC 3339 date-time with an offset, or a `Date`. Instants in responses are always strings. */
export type Instant = string | Date;

type WithInstants<Value, Names extends string> = {
  [Name in keyof Value]: Name extends Names ? Value[Name] | Date : Value[Name];
};

/** The query of `list`, `listPages` and `listAll`. */
export type ListQuery = WithInstants<ListBookingsQueryDto, 'from' | 'to'>;

type Slot = NonNullable<CreateBookingDto<object>['slot']>;

/** The payload of `create`: the members of the contract, and the caller's own. */
export type NewBooking<Details extends object = Record<string, unknown>> = Omit<CreateBookingDto<object>, 'slot'> & {
  slot?: WithInstants<Slot, 'start' | 'end'> | undefined;
} & Details;

/** @throws TypeError for an id that is not a string, is empty, `.` or `..`, or has a lone surrogate */
export function bookingPath(bookingId: string): string {
  if (typeof bookingId !== 'string' || ['', '.', '..'].includes(bookingId) || /\p{Cs}/u.test(bookingId)) {
    throw new TypeError(`No booking can have the id ${JSON.stringify(bookingId)}`);
  }
  return routes.getBooking.path.replace('{booking_id}', encodeURIComponent(bookingId));
}

/** @throws TypeError for an invalid Date */
export function listPath(query: ListQuery): string {
  const parameters = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [[name, value instanceof Date ? instantOf(value, name) : String(value)]];
  });
  const search = new URLSearchParams(parameters).toString();
  return search === '' ? routes.listBookings.path : `${routes.listBookings.path}?${search}`;
}

/** @throws TypeError for a payload that is not a JSON object, and for a value that JSON would replace */
export function createBody(payload: NewBooking<object>): string {
  // A promise or a Map would become {}, and be booked without its content.
  const body = tagOf(payload) === 'Object' ? (JSON.stringify(payload, expectKept) as string | undefined) : undefined;
  if (body?.startsWith('{') !== true) throw new TypeError('The payload is not a JSON object');
  return body;
}

/** A replacer for `JSON.stringify`. @throws TypeError for a value that would become null or {} in silence */
function expectKept(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const tag = tagOf(value);
  if (value === null && tagOf(this[name]) === 'Date') throw new TypeError(`${name} is an invalid Date`);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new TypeError(`${name} is ${value}, not a JSON value`);
  if (['Promise', 'Map', 'Set'].includes(tag)) throw new TypeError(`${name} is a ${tag}, not a JSON value`);
  return value;
}

const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice('[object '.length, -1);

function instantOf(date: Date, name: string): string {
  if (Number.isNaN(date.getTime())) throw new TypeError(`${name} is an invalid Date`);
  return date.toISOString();
}
