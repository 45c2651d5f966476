const SHAPE =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3}0{0,6})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const MIN_INSTANT = Date.parse('0001-01-01T00:00:00.000Z');
const MAX_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Reads an RFC 3339 date-time (§5.6), strictly: upper-case `T` and `Z`, an offset, at most nine fraction digits with
 * only zeros after the third, an existing day, no `:60`, no `24:00`, years 0001 to 9999 in UTC.
 *
 * @returns milliseconds since 1970-01-01T00:00:00Z, `undefined` for any other text
 */
export function parseInstant(text: string): number | undefined {
  if (!SHAPE.test(text) || !hasDay(text)) return undefined;
  const instant = Date.parse(text);
  return instant >= MIN_INSTANT && instant <= MAX_INSTANT ? instant : undefined;
}

/** Whether the day exists: `Date.parse` may read 30 February as 2 March. */
function hasDay(text: string): boolean {
  const day = Number(text.slice(8, 10));
  return day <= 28 || new Date(Date.parse(text.slice(0, 10))).getUTCDate() === day;
}

/** Formats milliseconds since 1970 as `YYYY-MM-DDTHH:mm:ss.sssZ`, as in every response. */
export function formatInstant(instant: number): string {
  return new Date(instant).toISOString();
}
