const SHAPE =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3}0{0,6})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const MIN_INSTANT = Date.parse('0001-01-01T00:00:00.000Z');
const MAX_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Reads an RFC 3339 date-time, strictly: upper-case `T` and `Z`, an offset, at most nine fraction digits, zeros
 * after the third, a day that the calendar has, no `:60`, no `24:00`, years 0001 to 9999 in UTC.
 *
 * @returns milliseconds since 1970-01-01T00:00:00Z, or `undefined` when `text` is anything else
 * @see RFC 3339 §5.6
 */
export function parseInstant(text: string): number | undefined {
  if (!SHAPE.test(text) || !hasDay(text)) return undefined;
  const instant = Date.parse(text);
  return instant >= MIN_INSTANT && instant <= MAX_INSTANT ? instant : undefined;
}

/** Whether the calendar has the day: `Date.parse` may take 30 February for 2 March. */
function hasDay(text: string): boolean {
  const day = Number(text.slice(8, 10));
  return day <= 28 || new Date(Date.parse(text.slice(0, 10))).getUTCDate() === day;
}

/** Writes milliseconds since 1970 as `YYYY-MM-DDTHH:mm:ss.sssZ`, the one form in which the service sends them. */
export function formatInstant(instant: number): string {
  return new Date(instant).toISOString();
}
