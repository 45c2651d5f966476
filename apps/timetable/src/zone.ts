const DAY = 86_400_000;
/** Clocks change at quarters of an hour of UTC, in every zone since 1973: an offset holds for one of them. */
const QUARTER = 15 * 60_000;

const SKIPPED = 'The clock never shows this.';

/** Instants are milliseconds since 1970 in UTC; a local time is the same count of what a clock shows. */
type Instant = number;
type Local = number;

/** The clock of an IANA time zone, by `Intl`. */
export class Zone {
  readonly #format: Intl.DateTimeFormat;
  readonly #offsets = new Map<number, number>();

  /** @throws RangeError for a name that is no zone */
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

  /** When the clock shows a time: once as a rule, never or twice where it is changed. */
  instants(local: Local): Instant[] {
    const offsets = new Set([this.offset(local - DAY), this.offset(local + DAY)]);
    return [...offsets]
      .map((offset) => local - offset)
      .filter((instant) => this.local(instant) === local)
      .toSorted((a, b) => a - b);
  }

  /** When a day begins: at midnight, or where the clock skips that, when it is changed. */
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

  /** `YYYY-MM-DD HH:MM`, with the offset where the clock shows that twice. */
  text(instant: Instant): string {
    const shown = `${this.date(instant)} ${this.time(instant)}`;
    const isTwice = this.instants(this.local(instant)).length > 1;
    return isTwice ? `${shown} ${offsetText(this.offset(instant))}` : shown;
  }

  /**
   * Reads what {@link text} writes.
   *
   * @returns the instant, or what is wrong with the text
   */
  parse(text: string): Instant | string {
    const [, date, time, offset] = /^\s*(\d{4}-\d\d-\d\d)[ T]+(\d\d?:\d\d)(?:\s*([+-]\d\d:\d\d))?\s*$/.exec(text) ?? [];
    const local = Date.parse(`${date}T${time?.padStart(5, '0')}Z`);
    if (Number.isNaN(local) || new Date(local).toISOString().slice(0, 10) !== date) {
      return 'Write a date and a time, as in 2026-12-01 09:30.';
    }
    const instants = this.instants(local);
    if (offset !== undefined) {
      return instants.find((instant) => offsetText(this.offset(instant)) === offset) ?? SKIPPED;
    }
    if (instants.length > 1) {
      const [first, second] = instants.map((instant) => offsetText(this.offset(instant)));
      return `The clock shows this time twice. Add ${first} for the first, or ${second}.`;
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
