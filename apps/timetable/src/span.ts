import { clockText, english } from './locale.js';
import type { Range } from './schedule.js';
import { dateAfter, type View } from './view.js';
import { offsetText, Zone } from './zone.js';

const HOUR = 3_600_000;
const QUARTER = HOUR / 4;
const DAY = 24 * HOUR;

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

const dates = (style: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(english, { timeZone: 'UTC', ...style });
const withYear = dates({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
const withoutYear = dates({ weekday: 'short', day: 'numeric', month: 'short' });
const weeks = dates({ day: 'numeric', month: 'short', year: 'numeric' });

/** `Tue, 1 Dec 2026`, or `30 Nov – 6 Dec 2026` of a week. */
export function titleOf({ days }: Span): string {
  const [first, last] = [new Date(days[0]!.date), new Date(days.at(-1)!.date)];
  return days.length === 1 ? withYear.format(first) : weeks.formatRange(first, last);
}

/** `Tue 1 Dec`, with the year if it is not this one: the date of every text, in the form of the browser's locale. */
export function dayText(zone: Zone, instant: number): string {
  const local = zone.local(instant);
  const yearOf = (time: number) => new Date(time).getUTCFullYear();
  return (yearOf(local) === yearOf(zone.local(Date.now())) ? withoutYear : withYear).format(local).replace(',', '');
}

/** `1 h 30 min`, of milliseconds. */
export function durationText(duration: number): string {
  const minutes = Math.round(duration / 60_000);
  const parts = [
    [Math.floor(minutes / 1440), 'd'],
    [Math.floor(minutes / 60) % 24, 'h'],
    [minutes % 60, 'min'],
  ] as const;
  const shown = parts.filter(([amount]) => amount > 0).map(([amount, unit]) => `${amount} ${unit}`);
  return shown.join(' ') || `${duration / 1000} s`;
}

/** `10:00–11:30`: only the times of the clock. */
export function shortTimes(zone: Zone, start: number, end: number): string {
  return `${zone.clock(start)}–${zone.clock(end)}`;
}

/** `10:00 to 11:30`, with a date if it starts or ends on another day than `date`; its end may be 24:00. */
export function timesText(zone: Zone, start: number, end: number, date = zone.date(start)): string {
  const midnight = Date.parse(date);
  const text = (at: number) => {
    const since = zone.local(at) - midnight;
    if (since === DAY) return clockText('24:00');
    if (since >= 0 && since < DAY) return zone.clock(at);
    return `${zone.clock(at)} on ${dayText(zone, at)}`;
  };
  return `${text(start)} to ${text(end)}`;
}

/** `Thu 3 Dec, 10:00 to 11:30`. */
export function whenText(zone: Zone, start: number, end: number): string {
  return `${dayText(zone, start)}, ${timesText(zone, start, end)}`;
}

/** What is said of a time that is over. */
export function overText({ end }: Range): string {
  return end <= Date.now() ? ', in the past' : '';
}

/** What is said of a time to be booked that is over, or has begun. */
export function pastText(time: Range): string {
  return overText(time) || (time.start < Date.now() ? ', starts in the past' : '');
}
