const SHAPE =
  /^(\d{4})-(0[1-9]|1[0-2])-(\d\d)T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,3}))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

const MINUTE = 60_000;
/** The Gregorian calendar repeats every 400 years. */
const CALENDAR_CYCLE = 146_097 * 24 * 60 * MINUTE;

const MIN_INSTANT = Date.parse('0001-01-01T00:00:00.000Z');
const MAX_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Reads an RFC 3339 date-time, strictly: upper-case `T` and `Z`, an offset, at most three fraction
 * digits, a day that the calendar has, no `:60`, no `24:00`, years 0001 to 9999 in UTC.
 * `Date.parse` is no help: it takes 30 February for 2 March.
 *
 * @returns milliseconds since 1970-01-01T00:00:00Z, or `undefined` when `text` is anything else
 * @see RFC 3339 §5.6
 */
export function parseInstant(text: string): number | undefined {
  const parts = SHAPE.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHours, offsetMinutes] = parts;
  if (!isDayOfMonth(Number(year), Number(month), Number(day))) return undefined;
  // Date.UTC reads the years 0 to 99 as 1900 to 1999, hence the detour by one cycle.
  const local =
    Date.UTC(
      Number(year) + 400,
      Number(month) - 1,
      Number(day),
      Number(hour),
      Number(minute),
      Number(second),
      Number(fraction.padEnd(3, '0')),
    ) - CALENDAR_CYCLE;
  const offset = sign === undefined ? 0 : Number(`${sign}1`) * (Number(offsetHours) * 60 + Number(offsetMinutes));
  const instant = local - offset * MINUTE;
  return instant >= MIN_INSTANT && instant <= MAX_INSTANT ? instant : undefined;
}

function isDayOfMonth(year: number, month: number, day: number): boolean {
  // Day 0 of the next month is the last of this one.
  return day >= 1 && (day <= 28 || day <= new Date(Date.UTC(year + 400, month, 0)).getUTCDate());
}

/** Writes milliseconds since 1970 as `YYYY-MM-DDTHH:mm:ss.sssZ`, the one form the service answers. */
export function formatInstant(instant: number): string {
  return new Date(instant).toISOString();
}
