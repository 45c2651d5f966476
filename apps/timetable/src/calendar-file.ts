import { labelOf } from './label.js';
import type { Booked } from './schedule.js';

/** Octets of a line, without its end (RFC 5545 §3.1). */
const LONGEST = 75;

/** An iCalendar file (RFC 5545) with one booking. */
export function calendarFile({ booking, resource, start, end }: Booked): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Booking Service//Timetable//EN',
    'BEGIN:VEVENT',
    `UID:${booking.booking_id}`,
    `DTSTAMP:${timeOf(Date.parse(booking.created_at))}`,
    `DTSTART:${timeOf(start)}`,
    `DTEND:${timeOf(end)}`,
    `SUMMARY:${escaped(labelOf(booking))}`,
    `LOCATION:${escaped(resource)}`,
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

/** `20261201T090000Z` */
function timeOf(instant: number): string {
  return new Date(instant).toISOString().replace(/[-:]|\.\d+/g, '');
}

/** A text value, which has no control characters (RFC 5545 §3.3.11). */
function escaped(text: string): string {
  return text
    .replace(/[\\;,]/g, '\\$&')
    .replace(/\r?\n|\r/g, '\\n')
    .replace(/\p{Cc}/gu, ' ');
}

/** A line that continues after a blank where it is too long. */
function folded(line: string): string {
  const encoder = new TextEncoder();
  let text = '';
  let octets = 0;
  for (const character of line) {
    const { length } = encoder.encode(character);
    if (octets + length > LONGEST) {
      text += '\r\n ';
      octets = 1;
    }
    text += character;
    octets += length;
  }
  return text;
}
