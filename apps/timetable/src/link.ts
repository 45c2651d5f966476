/** Opens the booking that the address names after `#`, at once or as soon as the service responds. */

import { BookingNotFoundError, ForbiddenError, UnauthenticatedError } from '@booking-service/client';
import { bookedOf, bookings } from './bookings.js';
import { client } from './connection.js';
import { showToast } from './dom.js';
import { isFormOpen } from './form.js';
import { showDetails, shown } from './panel.js';
import { isWithin } from './time.js';
import { changeView, span } from './view.js';

/** Whether the booking is still to be opened: `asked` before the first attempt, `late` after a failed one. */
let pending: 'asked' | 'late' | undefined;

/** Lets the next call of `openLink` open the booking. */
export function askForLink(): void {
  pending = 'asked';
}

/**
 * Opens the booking if it is still to be opened. If it cannot be read now, later calls try again.
 *
 * @param isFailing whether reads are failing now
 */
export async function openLink(isFailing: boolean): Promise<void> {
  const asked = pending;
  if (asked === undefined || (asked === 'late' && isFailing)) return;
  pending = undefined;
  const id = linkedId();
  if (id === undefined) return showToast('This link names no booking.');
  if (id === '' || isFormOpen() || shown?.booking.booking_id === id) return;
  try {
    const booking = await client.get(id, { maxRetries: 0 });
    const booked = bookedOf(booking);
    if (booked === undefined) return showToast('This booking has no time, so it has no place here.');
    if (!isWithin(span, booked.start)) changeView({ date: span.zone.date(booked.start) });
    bookings.add([booking]);
    showDetails(booked);
  } catch (error) {
    if (error instanceof BookingNotFoundError)
      return showToast('This booking does not exist. It may have been deleted.');
    pending = 'late';
    // A 401 or 403 makes `status.ts` ask for a token instead.
    const isDenied = error instanceof UnauthenticatedError || error instanceof ForbiddenError;
    if (asked === 'asked' && !isDenied) showToast('This booking cannot be read now. It opens as soon as it can be.');
  }
}

/** The id in the address: empty if there is none, undefined if it cannot be decoded. */
function linkedId(): string | undefined {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return undefined;
  }
}
