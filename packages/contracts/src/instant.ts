const SHAPE =
  /^\d{4}-(?:0[1-9]|1[0-2])-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const MIN_INSTANT = Date.parse('0001-01-01T00:00:00.000Z');
const MAX_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Reads an RFC 3339 date-time, strictly: upper-case `T` and `Z`, an offset, at most three fraction
 * digits, a day that the calendar has, no `:60`, no `24:00`, years 0001 to 9999 in UTC.
 *
 * @returns milliseconds since 1970-01-01T00:00:00Z, or `undefined` when `text` is anything else
 * @see RFC 3339 §5.6
 */
export function parseInstant(text: string): number | undefined {
  if (!SHAPE.test(text) || !isDayOfMonth(text)) return undefined;
  // ECMAScript's own format has three fraction digits or none; what one or two mean is up to the engine.
  const instant = Date.parse(text.replace(/\.\d\d?(?!\d)/, (fraction) => fraction.padEnd(4, '0')));
  return instant >= MIN_INSTANT && instant <= MAX_INSTANT ? instant : undefined;
}

/** Whether the calendar has the day: `Date.parse` takes 30 February for 2 March. */
function isDayOfMonth(text: string): boolean {
  const day = Number(text.slice(8, 10));
  if (day <= 28) return day >= 1;
  // Day 0 of the next month is the last of this one. The calendar repeats every 400 years, and
  // Date.UTC takes the years 0 to 99 for 1900 to 1999.
  return day <= new Date(Date.UTC(Number(text.slice(0, 4)) + 400, Number(text.slice(5, 7)), 0)).getUTCDate();
}

/** Writes milliseconds since 1970 as `YYYY-MM-DDTHH:mm:ss.sssZ`, the one form the service answers. */
export function formatInstant(instant: number): string {
  return new Date(instant).toISOString();
}
