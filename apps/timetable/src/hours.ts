import { isWithin, type Span } from './span.js';

const HOUR = 3_600_000;
const QUARTER = HOUR / 4;
const DAY = 24 * HOUR;

/** Hours of the clock, `from` 0 to 23 and `to` 1 to 24, outside of which time is folded. */
export interface Hours {
  readonly from: number;
  readonly to: number;
}

export const ALL_HOURS: Hours = { from: 0, to: 24 };
/** Without bookings. */
const USUAL: Hours = { from: 8, to: 18 };
/** Hours that are too few to be folded. */
const TOO_FEW = 2;

/**
 * The hours in which slots start and end, an hour around them, the usual working hours and the current one: no slot
 * starts or ends in what is left of a day.
 */
export function workingHours(slots: Iterable<{ start: number; end: number }>, span: Span, now: number): Hours {
  let { from, to } = USUAL;
  // Of all times in a quarter of an hour, the hour of the clock is the same.
  const quarters = new Set<number>();
  const include = (instant: number) => quarters.add(Math.floor(instant / QUARTER));
  for (const { start, end } of slots) {
    if (isWithin(span, start)) for (const at of [start, Math.max(span.start, start - HOUR)]) include(at);
    if (isWithin(span, end - 1)) for (const at of [end, Math.min(span.end, end + HOUR)]) include(at - 1);
  }
  if (isWithin(span, now)) include(now);
  for (const quarter of quarters) {
    const hour = Math.floor((span.zone.local(quarter * QUARTER) % DAY) / HOUR);
    from = Math.min(from, hour);
    to = Math.max(to, hour + 1);
  }
  return { from: from < TOO_FEW ? 0 : from, to: to > 24 - TOO_FEW ? 24 : to };
}
