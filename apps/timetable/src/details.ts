import type { BookingDto } from '@booking-service/client';
import { calendarFile } from './calendar-file.js';
import { make } from './dom.js';
import { detailsOf } from './label.js';
import type { Booked } from './schedule.js';
import { durationText, whenText } from './span.js';
import type { Zone } from './zone.js';

/**
 * Everything there is to know about a booking.
 *
 * @param slot undefined for a booking without one
 * @param link an address at which the page shows the booking
 */
export function bookingDetails(booking: BookingDto, slot: Booked | undefined, zone: Zone, link: Node): HTMLElement {
  const rows: [string, string][] = detailsOf(booking);
  if (slot) {
    const { resource, start, end } = slot;
    const isOtherYear = zone.date(start).slice(0, 4) !== zone.date(Date.now()).slice(0, 4);
    const year = isOtherYear ? ` (${zone.date(start).slice(0, 4)})` : '';
    rows.unshift(
      ['Resource', resource],
      ['When', `${whenText(zone, start, end)}${year}`],
      ['Length', `${durationText(end - start)} in ${zone.name.replaceAll('_', ' ')}`],
    );
  }
  rows.push(['Created', zone.text(Date.parse(booking.created_at))], ['Id', booking.booking_id]);
  const list = make('dl');
  for (const [name, value] of rows) {
    list.append(make('dt', {}, make('bdi', {}, name)), make('dd', { dir: 'auto' }, value));
  }
  const json = make('details', {}, make('summary', {}, 'JSON'));
  // A booking may have 64 KiB: its JSON is laid out only when it is opened.
  const showJson = () => json.append(make('pre', { tabIndex: 0 }, JSON.stringify(booking, null, 2)));
  json.addEventListener('toggle', showJson, { once: true });
  const more = make('p', { className: 'more' }, link);
  if (slot) more.append(calendarButton(slot));
  return make('div', {}, list, more, json);
}

function calendarButton(slot: Booked): HTMLElement {
  const button = make('button', { type: 'button' }, 'Add to calendar (.ics)');
  button.addEventListener('click', () => {
    const href = URL.createObjectURL(new Blob([calendarFile(slot)], { type: 'text/calendar' }));
    make('a', { href, download: `${slot.booking.booking_id}.ics` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  });
  return button;
}
