import type { OperationId, operations } from '@booking-service/contracts';

type Routes = {
  readonly [Id in OperationId]: Pick<(typeof operations)[Id], 'method' | 'path'> & {
    readonly status: (typeof operations)[Id]['success']['status'];
  };
};

/**
 * Where each operation is and how it succeeds. These are the literals of `operations`: importing it at
 * run time would bring the schemas and zod along, so its type holds this copy to it instead.
 */
export const routes = {
  listBookings: { method: 'GET', path: '/v1/bookings', status: 200 },
  createBooking: { method: 'POST', path: '/v1/bookings', status: 201 },
  getBooking: { method: 'GET', path: '/v1/bookings/{booking_id}', status: 200 },
} as const satisfies Routes;

/**
 * The path of one booking.
 *
 * @throws TypeError for what no path can carry: an id that is empty, `.` or `..` (they would lead to
 *   another path), that has a lone surrogate, or that is not a string
 */
export function bookingPath(bookingId: string): string {
  if (typeof bookingId !== 'string' || ['', '.', '..'].includes(bookingId) || /\p{Cs}/u.test(bookingId)) {
    throw new TypeError(`No booking can have the id ${JSON.stringify(bookingId)}: pass a booking_id of the service`);
  }
  return routes.getBooking.path.replace('{booking_id}', encodeURIComponent(bookingId));
}
