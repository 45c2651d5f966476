const DAY = 86_400_000;
/** Since 1973, clocks change only at quarters of an hour UTC, so an offset is valid for a whole quarter. */
const QUARTER = 15 * 60_000;

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
    let instant = Math.floor((midnight - this.offset(midnight + DAY)) / QUARTER) * QUARTER;
    while (this.local(instant) < midnight) instant += QUARTER;
    return instant;
  }

  /** `YYYY-MM-DD` */
  date(instant: Instant): string {
    return new Date(this.local(instant)).toISOString().slice(0, 10);
  }

  /** `HH:MM` */
  time(instant: Instant): string {
    return new Date(this.local(instant)).toISOString().slice(11, 16);
  }

  /** The local time that an input of dates and times shows: `YYYY-MM-DDTHH:MM`. */
  input(instant: Instant): string {
    return `${this.date(instant)}T${this.time(instant)}`;
  }

  /**
   * Parses the value of an input of dates and times.
   *
   * @param offset which of two is meant where the clock shows a time twice, as `+01:00`; empty if that is not chosen
   * @returns the instant, or the fault of what was entered
   */
  parse(value: string, offset = ''): Instant | string {
    const local = Date.parse(`${value.slice(0, 16)}Z`);
    if (Number.isNaN(local)) return 'Enter a date and a time.';
    const instants = this.instants(local);
    if (instants.length === 0) return 'The clock skips this time: choose another one.';
    if (instants.length === 1) return instants[0]!;
    const chosen = instants.find((instant) => offsetText(this.offset(instant)) === offset);
    return chosen ?? 'This time occurs twice: choose which one.';
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
