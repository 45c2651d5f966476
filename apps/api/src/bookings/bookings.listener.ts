import type { Booking } from './booking.js';

/** Is notified of the bookings that this process creates. */
export abstract class BookingsListener {
  /** Called once for each booking after it is kept, and not for a replay. It must not throw. */
  abstract created(booking: Booking): void;
}
