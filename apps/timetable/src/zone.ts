import { clockText } from './locale.js';

const DAY = 86_400_000;
/** Since 1973, clocks change only at quarters of an hour UTC, so an offset is valid for a whole quarter. */
const QUARTER = 15 * 60_000;

const SKIPPED = 'The clock skips this time.';

/** Instants are milliseconds since 1970 in UTC; a local time counts the same on a local clock. */
type Instant = number;
type Local = number;

/** An IANA time zone, by `Intl`. */
export class Zone {
  readonly #format: Intl.DateTimeFormat;
  readonly #offsets = new Map<number, number>();

  /** @throws RangeError for an unknown name */
  constructor(readonly name: string) {
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  }

  /** Milliseconds that the clock is ahead of UTC. */
  offset(instant: Instant): number {
    const quarter = Math.floor(instant / QUARTER);
    let offset = this.#offsets.get(quarter);
    if (offset === undefined) {
      offset = parseOffset(this.#format.format(quarter * QUARTER));
      this.#offsets.set(quarter, offset);
    }
    return offset;
  }

  local(instant: Instant): Local {
    return instant + this.offset(instant);
  }

  /** The instants of a local time: usually one, none or two when the clock changes. */
  instants(local: Local): Instant[] {
    const offsets = new Set([this.offset(local - DAY), this.offset(local + DAY)]);
    return [...offsets]
      .map((offset) => local - offset)
      .filter((instant) => this.local(instant) === local)
      .toSorted((a, b) => a - b);
  }

  /** The start of a day: midnight or, if the clock skips it, the instant of the change. */
  startOf(date: string): Instant {
    const midnight = Date.parse(date);
    const [first] = this.instants(midnight);
    if (first !== undefined) return first;
    let before = midnight - this.offset(midnight + DAY);
    let after = midnight - this.offset(midnight - DAY);
    while (after - before > QUARTER) {
      const middle = Math.round((before + after) / 2 / QUARTER) * QUARTER;
      if (this.local(middle) < midnight) before = middle;
      else after = middle;
    }
    return after;
  }

  /** `YYYY-MM-DD` */
  date(instant: Instant): string {
    return new Date(this.local(instant)).toISOString().slice(0, 10);
  }

  /** `HH:MM` */
  time(instant: Instant): string {
    return new Date(this.local(instant)).toISOString().slice(11, 16);
  }

  /** The time as the clocks of the browser's locale show it. */
  clock(instant: Instant): string {
    return clockText(this.time(instant));
  }

  /** `YYYY-MM-DD HH:MM`, with the offset if that occurs twice. */
  text(instant: Instant): string {
    const shown = `${this.date(instant)} ${this.time(instant)}`;
    const isTwice = this.instants(this.local(instant)).length > 1;
    return isTwice ? `${shown} ${offsetText(this.offset(instant))}` : shown;
  }

  /**
   * Parses a text as {@link text} writes it.
   *
   * @returns the instant, or the fault of the text
   */
  parse(text: string): Instant | string {
    const [, date, time, offset] = /^\s*(\d{4}-\d\d-\d\d)[ T]+(\d\d?:\d\d)(?:\s*([+-]\d\d:\d\d))?\s*$/.exec(text) ?? [];
    const local = Date.parse(`${date}T${time?.padStart(5, '0')}Z`);
    if (Number.isNaN(local) || new Date(local).toISOString().slice(0, 10) !== date) {
      return 'Enter a date and a time.';
    }
    const instants = this.instants(local);
    if (offset !== undefined) {
      return instants.find((instant) => offsetText(this.offset(instant)) === offset) ?? SKIPPED;
    }
    if (instants.length > 1) {
      const [first, second] = instants.map((instant) => offsetText(this.offset(instant)));
      return `This time occurs twice: choose the first (UTC${first}) or the second (UTC${second}).`;
    }
    return instants[0] ?? SKIPPED;
  }
}

/** The zones of this browser, by name. */
export function zoneNames(): string[] {
  return [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])].toSorted();
}

/** `+01:00` */
export function offsetText(offset: number): string {
  return (offset < 0 ? '-' : '+') + new Date(Math.abs(offset)).toISOString().slice(11, 16);
}

function parseOffset(formatted: string): number {
  const [offset] = /[+-]\d\d:\d\d/.exec(formatted) ?? ['Z'];
  return 0 - Date.parse(`1970-01-01T00:00${offset}`);
}
