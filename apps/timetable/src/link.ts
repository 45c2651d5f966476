/** The booking that the address names after `#`: it is read and opened, at once or as soon as the service responds. */

import { BookingNotFoundError, ForbiddenError, UnauthenticatedError } from '@booking-service/client';
import { bookedOf, bookings } from './bookings.js';
import { client } from './connection.js';
import { showToast } from './dom.js';
import { isFormOpen } from './form.js';
import { showDetails, shown } from './panel.js';
import { isWithin } from './time.js';
import { changeView, span } from './view.js';

/** Whether the booking has yet to be opened: `asked` for the first time, or `late` after a failure. */
let pending: 'asked' | 'late' | undefined;

/** Lets the next call of `openLink` open the booking. */
export function askForLink(): void {
  pending = 'asked';
}

/**
 * Opens the booking if it is still to be opened. Without a response, later calls try again.
 *
 * @param isFailing whether the service is known not to respond now
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
    // The status of the page asks for a token.
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
