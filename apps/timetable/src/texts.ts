import type { BookingDto } from '@booking-service/client';
import { dateAfter, durationText, type Range, type Span, type Zone } from './time.js';

/** The language of the browser, or the one that it formats in: WebKit names its own C if `LANG` does. */
export function realLanguage(name: string): string {
  try {
    return new Intl.Locale(name).baseName;
  } catch {
    return new Intl.DateTimeFormat().resolvedOptions().locale;
  }
}

const language = realLanguage(globalThis.navigator?.language ?? 'en-GB');
const locale = new Intl.Locale(language) as { getWeekInfo?(): { readonly firstDay: number } };
/** The day on which weeks begin in the locale of the browser: 1 is Monday, 7 is Sunday. */
export const firstDay = locale.getWeekInfo?.().firstDay ?? 1;
const has12Hours = new Intl.DateTimeFormat(language, { hour: 'numeric' }).resolvedOptions().hour12 === true;

/** The page is in English: its dates are in the English of the browser. */
const dates = (style: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(language.startsWith('en') ? language : 'en-GB', { timeZone: 'UTC', ...style });
const withoutYear = dates({ weekday: 'short', day: 'numeric', month: 'short' });
const withYear = dates({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
const weeks = dates({ day: 'numeric', month: 'short' });

/** `09:30`, or `9:30 AM`, of `HH:MM`; also of `HH`, and with seconds. */
export function clockText(time: string): string {
  if (!has12Hours) return time;
  const hour = Number(time.slice(0, 2));
  const half = hour % 24 < 12 ? 'AM' : 'PM';
  return `${hour % 12 || 12}${time.slice(2)} ${half}`;
}

export function timeText(zone: Zone, instant: number): string {
  return clockText(zone.input(instant).slice(11));
}

export function secondText(zone: Zone, instant: number): string {
  return clockText(`${zone.input(instant).slice(11)}:${new Date(instant).toISOString().slice(17, 19)}`);
}

/** `Tue, 1 Dec 2026`, or `30 Nov – 6 Dec` of a week. */
export function titleOf({ days }: Span): string {
  return (days.length === 1 ? withYear : weeks).formatRange(new Date(days[0]!.date), new Date(days.at(-1)!.date));
}

/** `Tue 1 Dec`, with the year if it is not this one. */
export function dayText(zone: Zone, instant: number): string {
  const isThisYear = zone.date(instant).slice(0, 4) === zone.date(Date.now()).slice(0, 4);
  return (isThisYear ? withoutYear : withYear).format(zone.local(instant)).replace(',', '');
}

/** `10:00 to 11:30`, with a date if it starts or ends on another day than `date`; its end may be 24:00. */
export function timesText(zone: Zone, { start, end }: Range, date = zone.date(start)): string {
  const text = (at: number) => {
    if (zone.date(at) === date) return timeText(zone, at);
    const isMidnight = zone.input(at).endsWith('00:00') && zone.date(at) === dateAfter(date, 1);
    return isMidnight ? clockText('24:00') : `${timeText(zone, at)} on ${dayText(zone, at)}`;
  };
  return `${text(start)} to ${text(end)}`;
}

export function whenText(zone: Zone, time: Range): string {
  return `${dayText(zone, time.start)}, ${timesText(zone, time)}`;
}

/** `1 h 30 min in Europe/Berlin`, and whether the time is over or has begun. */
export function lengthText({ name }: Zone, { start, end }: Range): string {
  const length = `${durationText(end - start)} in ${name.replaceAll('_', ' ')}`;
  const now = Date.now();
  if (end <= now) return `${length}, in the past`;
  return start < now ? `${length}, now` : length;
}

export function countText(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}

const LABEL_LENGTH = 80;
const MAX_DETAILS = 100;
/** Members that describe a booking, the most descriptive first. */
const LABEL_MEMBERS = ['title', 'name', 'guest', 'customer', 'patient', 'class', 'group'];

function ownMembers({ booking_id: _id, created_at: _at, slot: _slot, ...own }: BookingDto): Record<string, unknown> {
  return own;
}

/** A short text for a booking with any members. It is untrusted, so it may only become a text node. */
export function labelOf(booking: BookingDto): string {
  const own = ownMembers(booking);
  const texts = [...LABEL_MEMBERS, ...Object.keys(own)].flatMap((name) => {
    const value = own[name];
    return value instanceof Object ? LABEL_MEMBERS.map((inner) => (value as Record<string, unknown>)[inner]) : [value];
  });
  const isLabel = (text: unknown) => typeof text === 'string' && /[\p{L}\p{N}\p{S}\p{P}]/u.test(text);
  return ((texts.find(isLabel) as string | undefined) ?? 'Booked').trim().slice(0, LABEL_LENGTH);
}

/** The members of a booking that its creator chose, flattened to a path and a text each. */
export function detailsOf(booking: BookingDto): [path: string, text: string][] {
  const flatten = ([path, value]: [string, unknown]): [string, string][] => {
    if (!(value instanceof Object) || Object.keys(value).length === 0)
      return [[path, typeof value === 'string' ? value : JSON.stringify(value)]];
    return Object.entries(value).flatMap(([name, member]) => flatten([`${path} · ${name}`, member]));
  };
  return Object.entries(ownMembers(booking)).flatMap(flatten).slice(0, MAX_DETAILS);
}

/** A text that leaves the direction of the sentence around it alone (Unicode FSI and PDI). */
export function isolated(text: string): string {
  return `\u2068${text}\u2069`;
}
