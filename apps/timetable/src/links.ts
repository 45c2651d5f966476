import type { BookingDto } from '@booking-service/client';
import { make } from './dom.js';
import { showToast } from './status.js';
import { type View, writeView } from './view.js';
import { Zone } from './zone.js';

/** The parameter of an address that names the booking whose details it shows. */
const PARAMETER = 'booking';

/** The booking that an address names. */
export function linkedBooking(search: string): string | undefined {
  return new URLSearchParams(search).get(PARAMETER) ?? undefined;
}

/** A link to a booking in its day; a click copies it where the browser allows that, and else follows it. */
export function linkTo({ booking_id: id, slot }: BookingDto, { zone }: View): HTMLElement {
  const date = slot && new Zone(zone).date(Date.parse(slot.start));
  const view: View = { date, span: 'day', zone, filter: '', free: 0, at: undefined };
  const query = `${writeView(view)}&${PARAMETER}=${encodeURIComponent(id)}`;
  const link = make('a', { href: query }, 'Copy link');
  link.addEventListener('click', (event) => {
    // Only for pages over HTTPS or on the same machine.
    if (!('clipboard' in navigator)) return;
    event.preventDefault();
    navigator.clipboard.writeText(link.href).then(
      () => showToast('The link was copied.'),
      () => location.assign(link.href),
    );
  });
  return link;
}
