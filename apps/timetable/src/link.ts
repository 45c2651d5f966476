import { BookingNotFoundError, ForbiddenError, UnauthenticatedError } from '@booking-service/client';
import { bookedOf, bookings } from './bookings.js';
import { client } from './connection.js';
import { showToast } from './dom.js';
import { isFormOpen } from './form.js';
import { showDetails, shown } from './panel.js';
import { isWithin } from './time.js';
import { changeView, span } from './view.js';

/** Whether the booking that the address names is still to be opened: for the first time, or after a failure. */
let link: 'asked' | 'late' | undefined;

/** Has the next draw open the booking that the address names. */
export function askForLink(): void {
  link = 'asked';
}

/**
 * Opens the booking that the address names, if it is still to be opened. Without a response, later calls try again.
 *
 * @param isFailing whether the service does not respond now, as far as is known
 */
export async function openLink(isFailing: boolean): Promise<void> {
  const asked = link;
  if (asked === undefined || (asked === 'late' && isFailing)) return;
  link = undefined;
  const id = linkedId();
  if (id === undefined) return showToast('This link names no booking.');
  if (id === '' || isFormOpen() || shown?.booking.booking_id === id) return;
  try {
    const booking = await client.get(id, { maxRetries: 0 });
    const own = bookedOf(booking);
    if (own === undefined) return showToast('This booking has no time, so it has no place here.');
    if (!isWithin(span, own.start)) changeView({ date: span.zone.date(own.start) });
    bookings.add([booking]);
    showDetails(own);
  } catch (error) {
    if (error instanceof BookingNotFoundError)
      return showToast('This booking does not exist. It may have been deleted.');
    link = 'late';
    const isDenied = error instanceof UnauthenticatedError || error instanceof ForbiddenError;
    // A token is requested by the feed.
    if (asked === 'asked' && !isDenied) showToast('This booking cannot be read now. It opens as soon as it can be.');
  }
}

/** The id in the address: empty if there is none, undefined if it cannot be one. */
function linkedId(): string | undefined {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return undefined;
  }
}
