import fc from 'fast-check';
import { calendarFile } from '../src/calendar-file.js';

const START = Date.parse('2026-12-01T09:00:00Z');
const HOUR = 3_600_000;

function fileOf(label: string, resource: string): string {
  const slot = { resource_id: resource, start: '2026-12-01T09:00:00.000Z', end: '2026-12-01T10:00:00.000Z' };
  const booking = { booking_id: 'b-1', created_at: '2026-11-01T08:00:00.123Z', title: label, slot };
  return calendarFile({ booking, resource, start: START, end: START + HOUR });
}

describe('The calendar file of a booking', () => {
  it('is an event at its instants', () => {
    expect(fileOf('Choir; all, please', 'hall').split('\r\n')).toEqual([
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//Booking Service//Timetable//EN',
      'BEGIN:VEVENT',
      'UID:b-1',
      'DTSTAMP:20261101T080000Z',
      'DTSTART:20261201T090000Z',
      'DTEND:20261201T100000Z',
      'SUMMARY:Choir\\; all\\, please',
      'LOCATION:hall',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ]);
  });

  it('has lines of at most 75 octets, and no line that a text makes up', () => {
    const texts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200, size: 'max' });
    fc.assert(
      fc.property(texts, (text) => {
        const file = fileOf('any', text);
        for (const line of file.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
        const [, location] = /\r\nLOCATION:(.*)\r\nEND:VEVENT/s.exec(file.replaceAll('\r\n ', ''))!;
        const unescaped = location!.replace(/\\(.)/gs, (_, character: string) =>
          character === 'n' ? '\n' : character,
        );
        expect(unescaped).toBe(text.replace(/\r\n?/g, '\n'));
      }),
    );
  });
});
