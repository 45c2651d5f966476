import type { BookingDto } from '@booking-service/client';
import { make } from './dom.js';
import { detailsOf } from './label.js';
import type { Booked } from './schedule.js';
import { dayText, durationText, overText, whenText } from './span.js';
import type { Zone } from './zone.js';

/**
 * Everything there is to know about a booking.
 *
 * @param slot undefined for a booking without one
 * @param link an address at which the page shows the booking
 */
export function bookingDetails(booking: BookingDto, slot: Booked | undefined, zone: Zone, link: Node): HTMLElement {
  const created = Date.parse(booking.created_at);
  const rows: [string, string][] = detailsOf(booking);
  if (slot) {
    const { resource, start, end } = slot;
    rows.unshift(
      ['Resource', resource],
      ['When', `${whenText(zone, start, end)}${overText(slot)}`],
      ['Length', `${durationText(end - start)} in ${zone.name.replaceAll('_', ' ')}`],
    );
  }
  rows.push(['Created', `${dayText(zone, created)}, ${zone.clock(created)}`], ['Id', booking.booking_id]);
  const list = make('dl');
  for (const [name, value] of rows) {
    list.append(make('dt', {}, make('bdi', {}, name)), make('dd', { dir: 'auto' }, value));
  }
  const json = make('details', {}, make('summary', {}, 'JSON'));
  // A booking may have 64 KiB: its JSON is laid out only when it is opened.
  const showJson = () => json.append(make('pre', { tabIndex: 0 }, JSON.stringify(booking, null, 2)));
  json.addEventListener('toggle', showJson, { once: true });
  return make('div', {}, list, make('p', { className: 'more' }, link), json);
}
