import type { BookingDto } from '@booking-service/client';
import { hourAt } from '../src/pointer.js';
import { Schedule } from '../src/schedule.js';
import { spanOf } from '../src/span.js';
import { suggestedStart } from '../src/suggestion.js';
import { Zone } from '../src/zone.js';

const HOUR = 3_600_000;
const viewOf = (zone: string, date = '2026-12-01') =>
  ({ date, span: 'day', zone, filter: '', free: 0, at: undefined }) as const;
const booking = (resource: string, start: number, end: number): BookingDto => ({
  booking_id: `${resource} ${start}`,
  created_at: '2026-11-01T00:00:00.000Z',
  slot: { resource_id: resource, start: new Date(start).toISOString(), end: new Date(end).toISOString() },
});

describe('An hour that is chosen', () => {
  it.each(['Asia/Kathmandu', 'Australia/Eucla', 'Pacific/Chatham', 'Asia/Kolkata', 'UTC'])(
    'begins at a half hour on the clock of %s',
    (name) => {
      const zone = new Zone(name);
      const { start, end } = spanOf(viewOf(name), 0);
      const cell = { resource: 'room', start, end, isWanted: false, isExact: false };
      const at = start + 10 * HOUR + 5 * 60_000;
      expect(zone.time(hourAt(cell, at, zone).start)).toBe('10:00');
      expect(zone.time(hourAt(cell, at + HOUR / 2, zone).start)).toBe('10:30');
    },
  );

  it('is the next free one on the clock, or from nine on another day', () => {
    const schedule = new Schedule();
    const span = spanOf(viewOf('Asia/Kolkata'), 0);
    const at = (hours: number) => span.start + hours * HOUR;
    const suggested = (now: number) => span.zone.time(suggestedStart(schedule, span, 'room', now));
    expect(suggested(at(-48))).toBe('09:00');
    schedule.show(span);
    schedule.markRead(span.end);
    schedule.add([booking('room', at(9), at(10.25)), booking('room', at(11.5), at(12))]);
    expect(suggested(at(-48))).toBe('12:00');
    expect(suggested(at(8.2))).toBe('12:00');
    expect(suggested(at(13.1))).toBe('14:00');
    expect(suggestedStart(schedule, span, 'room', at(23.5))).toBe(at(24));
  });
});

describe('A day', () => {
  it('that the clock skips whole is the next one', () => {
    const span = spanOf(viewOf('Pacific/Apia', '2011-12-30'), 0);
    expect(span.days.map(({ date }) => date)).toEqual(['2011-12-31']);
    expect(span.end - span.start).toBe(24 * HOUR);
  });
});
