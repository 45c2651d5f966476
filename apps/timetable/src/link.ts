/** Reads the booking that the address names, at once or as soon as the service responds. */

import { BookingNotFoundError } from '@booking-service/client';
import { idIn } from './address.js';
import { bookedOf, bookings } from './bookings.js';
import { client } from './connection.js';
import { showToast } from './dom.js';
import { isDenial } from './feed.js';
import { drawPanel, shown } from './panel.js';
import { isWithin } from './time.js';
import { changeView, span, view } from './view.js';

/** Whether the booking is still to be read: `asked` before the first attempt, `late` after a failed one. */
let pending: 'asked' | 'late' | undefined;

/** Lets the next call of `readLinked` read the booking. */
export function askForLinked(): void {
  pending = 'asked';
}

/**
 * Reads the booking whose details the view shows, unless it is known. If it cannot be read now, later calls try again.
 *
 * @param isFailing whether reads are failing now
 */
export async function readLinked(isFailing: boolean): Promise<void> {
  const asked = pending;
  if (asked === undefined || (asked === 'late' && isFailing)) return;
  pending = undefined;
  const id = idIn(view.panel);
  if (id === '' || shown) return;
  try {
    const booking = await client.get(id);
    if (idIn(view.panel) !== id) return;
    const booked = bookedOf(booking);
    if (booked === undefined) return refuse('This booking has no time, so it has no place here.');
    if (!isWithin(span, booked.start)) changeView({ date: span.zone.date(booked.start) }, false);
    bookings.add([booking]);
    drawPanel();
  } catch (error) {
    if (idIn(view.panel) !== id) return;
    if (error instanceof BookingNotFoundError) return refuse('This booking does not exist. It may have been deleted.');
    pending = 'late';
    // A 401 or 403 makes `status.ts` ask for a token instead.
    if (asked === 'asked' && !isDenial(error))
      showToast('This booking cannot be read now. It opens as soon as it can be.');
  }
}

function refuse(reason: string): void {
  changeView({ panel: undefined });
  showToast(reason);
}
