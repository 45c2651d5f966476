const SHAPE =
  /^\d{4}-(?:0[1-9]|1[0-2])-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const MIN_INSTANT = Date.parse('0001-01-01T00:00:00.000Z');
const MAX_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/** Years after which the calendar repeats, and their milliseconds. */
const CYCLE_YEARS = 400;
const CYCLE = 146_097 * 86_400_000;
const MINUTE = 60_000;

/** The two texts that were read last: a create reads its start and its end three times each, 0.4 µs a time. */
let last: { text: string; instant: number | undefined } = { text: '', instant: undefined };
let lastButOne = last;

/**
 * Reads an RFC 3339 date-time, strictly: upper-case `T` and `Z`, an offset, at most three fraction
 * digits, a day that the calendar has, no `:60`, no `24:00`, years 0001 to 9999 in UTC.
 *
 * @returns milliseconds since 1970-01-01T00:00:00Z, or `undefined` when `text` is anything else
 * @see RFC 3339 §5.6
 */
export function parseInstant(text: string): number | undefined {
  if (text === last.text) return last.instant;
  if (text === lastButOne.text) return lastButOne.instant;
  lastButOne = last;
  last = { text, instant: parse(text) };
  return last.instant;
}

function parse(text: string): number | undefined {
  if (!SHAPE.test(text) || !isDayOfMonth(text)) return undefined;
  const instant = localTime(text) - offset(text);
  return instant >= MIN_INSTANT && instant <= MAX_INSTANT ? instant : undefined;
}

// Digit by digit: 0.4 µs instead of 0.6 with `Date.parse`.

/** The time that the clock shows, as if it were in UTC. */
function localTime(text: string): number {
  // A cycle later: Date.UTC takes the years 0 to 99 for 1900 to 1999.
  const day = Date.UTC(digits(text, 0, 4) + CYCLE_YEARS, digits(text, 5, 7) - 1, digits(text, 8, 10)) - CYCLE;
  const seconds = (digits(text, 11, 13) * 60 + digits(text, 14, 16)) * 60 + digits(text, 17, 19);
  return day + seconds * 1_000 + milliseconds(text);
}

function milliseconds(text: string): number {
  if (text[19] !== '.') return 0;
  const end = text.endsWith('Z') ? text.length - 1 : text.length - 6;
  return digits(text, 20, end) * 10 ** (23 - end);
}

/** Milliseconds that the clock is ahead of UTC. */
function offset(text: string): number {
  if (text.endsWith('Z')) return 0;
  const at = text.length;
  const minutes = digits(text, at - 5, at - 3) * 60 + digits(text, at - 2, at);
  return (text[at - 6] === '-' ? -minutes : minutes) * MINUTE;
}

function digits(text: string, start: number, end: number): number {
  let number = 0;
  for (let index = start; index < end; index++) number = number * 10 + text.charCodeAt(index) - 48;
  return number;
}

/** Whether the calendar has the day. */
function isDayOfMonth(text: string): boolean {
  const day = digits(text, 8, 10);
  if (day <= 28) return day >= 1;
  // Day 0 of the next month is the last of this one.
  return day <= new Date(Date.UTC(digits(text, 0, 4) + CYCLE_YEARS, digits(text, 5, 7), 0)).getUTCDate();
}

/** Writes milliseconds since 1970 as `YYYY-MM-DDTHH:mm:ss.sssZ`, the one form the service answers. */
export function formatInstant(instant: number): string {
  return new Date(instant).toISOString();
}
