import type { Range } from './schedule.js';
import { durationText } from './texts.js';
import { dateAfter, type View } from './view.js';
import { offsetText, Zone } from './zone.js';

const HOUR = 3_600_000;
const QUARTER = HOUR / 4;

/** A whole hour of the clock. */
interface Tick {
  readonly at: number;
  /** Of the clock: 0 to 23. */
  readonly hour: number;
}

/** A day, which has 23, 24.5 or 25 hours if clocks change. */
export interface Day extends Range {
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly ticks: readonly Tick[];
  /** When the clock changes, and by how much. */
  readonly change: { readonly at: number; readonly text: string } | undefined;
}

/** The time that a view shows, in a time zone. */
export interface Span extends Range {
  readonly zone: Zone;
  readonly days: readonly Day[];
}

/** Whether an instant is in `[start, end)`. */
export function isWithin({ start, end }: Range, instant: number): boolean {
  return instant >= start && instant < end;
}

/**
 * The day or the week of a view; today if it has no date.
 *
 * @param firstDay of a week: 1 is Monday, 7 is Sunday
 */
export function spanOf(view: Pick<View, 'date' | 'span' | 'zone'>, now: number, firstDay = 1): Span {
  const zone = new Zone(view.zone);
  let date = view.date ?? zone.date(now);
  // A day that the clock skips whole, as Apia did one in 2011.
  if (zone.startOf(date) === zone.startOf(dateAfter(date, 1))) date = dateAfter(date, 1);
  const first = view.span === 'day' ? date : dateAfter(date, -((new Date(date).getUTCDay() + 7 - firstDay) % 7));
  const dates = Array.from({ length: view.span === 'day' ? 1 : 7 }, (_, index) => dateAfter(first, index));
  const days = dates.map((day) => dayOf(zone, day));
  return { zone, days, start: days[0]!.start, end: days.at(-1)!.end };
}

function dayOf(zone: Zone, date: string): Day {
  const [start, end] = [zone.startOf(date), zone.startOf(dateAfter(date, 1))];
  const ticks: Tick[] = [];
  let change: Day['change'];
  for (let at = start; at < end; at += QUARTER) {
    const [offset, before] = [zone.offset(at), zone.offset(at - 1)];
    if (offset !== before && at > start) change = { at, text: changeText(before, offset) };
    const local = at + offset;
    if (local % HOUR === 0) ticks.push({ at, hour: (local / HOUR) % 24 });
  }
  return { date, start, end, ticks, change };
}

function changeText(before: number, after: number): string {
  return `clock ${after > before ? '+' : '−'}${durationText(Math.abs(after - before))}: UTC${offsetText(after)}`;
}
