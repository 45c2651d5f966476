import * as fc from 'fast-check';

/** What a date-time text is written from; any part may be out of its range. */
export interface Parts {
  year: number;
  month: number;
  day: number;
  separator: string;
  hour: number;
  minute: number;
  second: number;
  /** The digits after the point; without it there is no point. */
  fraction: string | undefined;
  zone: string | { sign: '+' | '-'; hours: number; minutes: number };
}

/** Mostly a part within its range, at times one that may be out of it. */
const mostly = <Part>(usual: fc.Arbitrary<Part>, odd: fc.Arbitrary<Part>) =>
  fc.oneof({ weight: 19, arbitrary: usual }, { weight: 1, arbitrary: odd });
const number = (min: number, max: number, oddMax: number) =>
  mostly(fc.integer({ min, max }), fc.integer({ min: 0, max: oddMax }));
const digits = (min: number, max: number) => fc.stringMatching(new RegExp(`^[0-9]{${min},${max}}$`));

export const anyParts: fc.Arbitrary<Parts> = fc.record({
  // The edges of the range, common and leap centuries, and any year.
  year: fc.oneof(fc.constantFrom(0, 1, 1900, 2000, 2028, 9999), fc.integer({ min: 0, max: 9999 })),
  month: number(1, 12, 14),
  day: mostly(
    fc.oneof(fc.integer({ min: 1, max: 28 }), fc.integer({ min: 28, max: 31 })),
    fc.integer({ max: 40, min: 0 }),
  ),
  separator: mostly(fc.constant('T'), fc.constantFrom('t', ' ', '')),
  hour: number(0, 23, 30),
  minute: number(0, 59, 70),
  second: number(0, 59, 70),
  fraction: mostly(fc.option(digits(1, 3), { nil: undefined }), digits(0, 5)),
  zone: mostly<Parts['zone']>(
    fc.oneof(
      fc.constant('Z'),
      fc.record({ sign: fc.constantFrom('+', '-'), hours: number(0, 23, 30), minutes: number(0, 59, 70) }),
    ),
    fc.constantFrom('z', '', '+01', '+0100'),
  ),
});

const pad = (value: number, length = 2) => String(value).padStart(length, '0');

export function write({ year, month, day, separator, hour, minute, second, fraction, zone }: Parts): string {
  const date = `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
  const time = `${pad(hour)}:${pad(minute)}:${pad(second)}${fraction === undefined ? '' : `.${fraction}`}`;
  const offset = typeof zone === 'string' ? zone : `${zone.sign}${pad(zone.hours)}:${pad(zone.minutes)}`;
  return `${date}${separator}${time}${offset}`;
}

/** The instant that the parts stand for, or `undefined` if they break a rule; without `Date` and patterns. */
export function oracle({
  year,
  month,
  day,
  separator,
  hour,
  minute,
  second,
  fraction,
  zone,
}: Parts): number | undefined {
  if (separator !== 'T' || hour > 23 || minute > 59 || second > 59) return undefined;
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (fraction !== undefined && (fraction.length < 1 || fraction.length > 3)) return undefined;
  const offset = offsetMinutes(zone);
  if (offset === undefined) return undefined;
  const milliseconds = fraction === undefined ? 0 : Number(fraction) * 10 ** (3 - fraction.length);
  const minutes = (dayNumber(year, month, day) * 24 + hour) * 60 + minute - offset;
  const instant = (minutes * 60 + second) * 1000 + milliseconds;
  const dayLength = 86_400_000;
  return instant >= dayNumber(1, 1, 1) * dayLength && instant < dayNumber(10_000, 1, 1) * dayLength
    ? instant
    : undefined;
}

function offsetMinutes(zone: Parts['zone']): number | undefined {
  if (typeof zone === 'string') return zone === 'Z' ? 0 : undefined;
  if (zone.hours > 23 || zone.minutes > 59) return undefined;
  return (zone.sign === '+' ? 1 : -1) * (zone.hours * 60 + zone.minutes);
}

const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

function daysIn(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Days since 1970-01-01 in the proleptic Gregorian calendar. */
function dayNumber(year: number, month: number, day: number): number {
  const before = year - 1;
  let days = before * 365 + Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  for (let earlier = 1; earlier < month; earlier++) days += daysIn(year, earlier);
  return days + day - 1 - 719_162;
}
