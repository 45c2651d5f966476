import type { Range } from './schedule.js';
import type { Zone } from './zone.js';

const DAY = 86_400_000;

/** The first language of the browser. */
const language = globalThis.navigator?.language ?? 'en-GB';

/** What a browser knows of a locale's weeks, if it does. */
interface WithWeeks {
  readonly weekInfo?: { readonly firstDay: number };
  getWeekInfo?(): { readonly firstDay: number };
}

const locale = new Intl.Locale(language) as WithWeeks;

/** The day on which weeks begin: 1 is Monday, 7 is Sunday. */
export const firstDay = (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1;

/** Whether the clock of this locale has 12 hours. */
export const has12Hours = new Intl.DateTimeFormat(language, { hour: 'numeric' }).resolvedOptions().hour12 === true;

/** The page is in English: its dates are in the English of the browser. */
const english = language.startsWith('en') ? language : 'en-GB';

/** `09:30`, or `9:30 AM`, of `HH:MM`; also of `HH`, and with seconds. */
export function clockText(time: string): string {
  const hour = Number(time.slice(0, 2));
  return has12Hours ? `${hour % 12 || 12}${time.slice(2)} ${hour % 24 < 12 ? 'AM' : 'PM'}` : time;
}

/** The time of an instant, as the clocks of the browser's locale show it. */
export function timeText(zone: Zone, instant: number): string {
  return clockText(zone.time(instant));
}

const dates = (style: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(english, { timeZone: 'UTC', ...style });
const withYear = dates({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
const withoutYear = dates({ weekday: 'short', day: 'numeric', month: 'short' });
const weeks = dates({ day: 'numeric', month: 'short', year: 'numeric' });

/** `Tue, 1 Dec 2026`, or `30 Nov – 6 Dec 2026` of a week. */
export function titleOf({ days }: { readonly days: readonly { readonly date: string }[] }): string {
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
  return `${timeText(zone, start)}–${timeText(zone, end)}`;
}

/** `10:00 to 11:30`, with a date if it starts or ends on another day than `date`; its end may be 24:00. */
export function timesText(zone: Zone, start: number, end: number, date = zone.date(start)): string {
  const midnight = Date.parse(date);
  const text = (at: number) => {
    const since = zone.local(at) - midnight;
    if (since === DAY) return clockText('24:00');
    if (since >= 0 && since < DAY) return timeText(zone, at);
    return `${timeText(zone, at)} on ${dayText(zone, at)}`;
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
