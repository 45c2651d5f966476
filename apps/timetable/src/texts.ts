/** Times, durations and counts as English texts. The browser's language decides whether clocks show 12 or 24 hours. */

import { dateAfter, isOver, MINUTE, type Range, type Span, type Zone } from './time.js';

/** The browser's language or, if that is not a language tag (WebKit passes on `LANG=C`), the language it formats in. */
export function realLanguage(name: string): string {
  try {
    return new Intl.Locale(name).baseName;
  } catch {
    return new Intl.DateTimeFormat().resolvedOptions().locale;
  }
}

const language = realLanguage(globalThis.navigator?.language ?? 'en-GB');
const locale = new Intl.Locale(language) as { getWeekInfo?(): { readonly firstDay: number } };
/** The day on which weeks begin in the browser's locale: 1 is Monday, 7 is Sunday. */
export const firstDay = locale.getWeekInfo?.().firstDay ?? 1;
const has12Hours = new Intl.DateTimeFormat(language, { hour: 'numeric' }).resolvedOptions().hour12 === true;

/** Dates are in English, like the page: in the browser's variety of English, if it has one, else in British English. */
const dates = (style: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(language.startsWith('en') ? language : 'en-GB', { timeZone: 'UTC', ...style });
const withoutYear = dates({ weekday: 'short', day: 'numeric', month: 'short' });
const withYear = dates({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
const weeks = dates({ day: 'numeric', month: 'short' });

/** `09:30` or `9:30 AM`. @param time `HH`, `HH:MM` or `HH:MM:SS`, up to 24:00 */
export function clockText(time: string): string {
  if (!has12Hours) return time;
  const hour = Number(time.slice(0, 2));
  const half = hour % 24 < 12 ? 'AM' : 'PM';
  return `${hour % 12 || 12}${time.slice(2)} ${half}`;
}

/** `09:30` or `9:30 AM` */
export function timeText(zone: Zone, instant: number): string {
  return clockText(zone.input(instant).slice(11));
}

/** `09:30:59` or `9:30:59 AM` */
export function secondText(zone: Zone, instant: number): string {
  return clockText(`${zone.input(instant).slice(11)}:${new Date(instant).toISOString().slice(17, 19)}`);
}

/** `Tue 1 Dec`, with the year unless it is the current one, or `30 Nov – 6 Dec · W49` for a week. */
export function titleOf({ zone, days, isWeek, start }: Span): string {
  const dates = days.map(({ date }) => new Date(date));
  return isWeek ? `${weeks.formatRange(dates[0]!, dates.at(-1)!)} · W${weekOf(dates)}` : dayText(zone, start);
}

/** The number of a week: that of its Thursday in the year (ISO 8601). */
function weekOf(days: readonly Date[]): number {
  const thursday = days.find((day) => day.getUTCDay() === 4)!;
  return Math.ceil((Number(thursday) - Date.UTC(thursday.getUTCFullYear(), 0) + 1) / (7 * 24 * 60 * MINUTE));
}

/** `Tue 1 Dec`, with the year unless it is the current one. */
export function dayText(zone: Zone, instant: number): string {
  const isThisYear = zone.date(instant).slice(0, 4) === zone.date(Date.now()).slice(0, 4);
  return (isThisYear ? withoutYear : withYear).format(zone.local(instant)).replace(',', '');
}

/** `10:00 to 11:30`, each with its date if that is not `date`; the midnight after `date` is 24:00. */
export function timesText(zone: Zone, { start, end }: Range, date = zone.date(start)): string {
  const text = (at: number) => {
    if (zone.date(at) === date) return timeText(zone, at);
    const isMidnight = zone.input(at).endsWith('00:00') && zone.date(at) === dateAfter(date, 1);
    return isMidnight ? clockText('24:00') : `${timeText(zone, at)} on ${dayText(zone, at)}`;
  };
  return `${text(start)} to ${text(end)}`;
}

/** `Tue 1 Dec, 10:00 to 11:30` */
export function whenText(zone: Zone, time: Range): string {
  return `${dayText(zone, time.start)}, ${timesText(zone, time)}`;
}

/** `1 h 30 min`, in whole minutes that have passed. */
export function durationText(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / MINUTE);
  const parts = [`${Math.floor(minutes / 1440)} d`, `${Math.floor(minutes / 60) % 24} h`, `${minutes % 60} min`];
  return parts.filter((part) => !part.startsWith('0')).join(' ') || `${milliseconds / 1000} s`;
}

/** `1 h 30 min in Europe/Berlin`, and whether that time is over or has begun. */
export function lengthText({ name }: Zone, time: Range): string {
  const length = `${durationText(time.end - time.start)} in ${name.replaceAll('_', ' ')}`;
  if (isOver(time)) return `${length}, in the past`;
  return time.start < Date.now() ? `${length}, now` : length;
}

/** `1 booking` or `2,000 bookings` */
export function countText(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}

/** Isolates a text, so that it cannot change the direction of the sentence around it (Unicode FSI and PDI). */
export function isolated(text: string): string {
  return `\u2068${text}\u2069`;
}
