import type { Schedule } from './schedule.js';
import { isWithin, type Span } from './span.js';

const HOUR = 3_600_000;

/** The start of an hour to book: the next free one of a resource on the clock, in another day from nine o'clock on. */
export function suggestedStart(schedule: Schedule, span: Span, resource: string, now: number): number {
  const onTheHour = (at: number) => at + ((HOUR - (span.zone.local(at) % HOUR)) % HOUR);
  const nine = span.days[0]!.ticks.find(({ hour }) => hour === 9)?.at ?? span.start;
  const first = isWithin(span, now) ? onTheHour(now) : nine;
  const free = schedule.cells(resource, first, span.end).filter(({ booked, isUnread }) => !booked && !isUnread);
  const found = free.find(({ start, end }) => end - onTheHour(start) >= HOUR);
  return found ? onTheHour(found.start) : first;
}
