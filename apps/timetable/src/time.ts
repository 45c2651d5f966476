/** Instants, the clocks of time zones, and the day or the week that the page shows. */

export const MINUTE = 60_000;
/**
 * A quarter of an hour, for which an offset is taken to hold: since 1973, clocks have changed at quarters in UTC, with
 * few exceptions (until 2011, St. John's changed at 00:01).
 */
export const QUARTER = 15 * MINUTE;
export const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A half-open range of instants, in milliseconds since 1970 in UTC. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export function isWithin({ start, end }: Range, instant: number): boolean {
  return instant >= start && instant < end;
}

export function isOver({ end }: Pick<Range, 'end'>, now = Date.now()): boolean {
  return end <= now;
}

export function overlap(one: Range, other: Range): boolean {
  return one.start < other.end && one.end > other.start;
}

/** The clock of an IANA time zone. */
export class Zone {
  readonly #format: Intl.DateTimeFormat;
  readonly #offsets = new Map<number, number>();

  /** @throws RangeError for an unknown name */
  constructor(readonly name: string) {
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  }

  /** Milliseconds by which the clock is ahead of UTC. */
  offset(instant: number): number {
    const quarter = Math.floor(instant / QUARTER) * QUARTER;
    const known = this.#offsets.get(quarter);
    if (known !== undefined) return known;
    const [text = 'Z'] = /[+-]\d\d:\d\d/.exec(this.#format.format(quarter)) ?? [];
    const offset = 0 - Date.parse(`1970-01-01T00:00${text}`);
    this.#offsets.set(quarter, offset);
    return offset;
  }

  /** The local time of an instant: what the clock shows, in milliseconds as if it were UTC. */
  local(instant: number): number {
    return instant + this.offset(instant);
  }

  /** The instants of a local time: one, or none or two when the clock changes. */
  instants(local: number): number[] {
    const offsets = new Set([this.offset(local - DAY), this.offset(local + DAY)]);
    return [...offsets]
      .map((offset) => local - offset)
      .filter((instant) => this.local(instant) === local)
      .toSorted((a, b) => a - b);
  }

  /** The start of a day: midnight or, if the clock skips midnight, the instant of the change. */
  startOf(date: string): number {
    let local = Date.parse(date);
    while (this.instants(local).length === 0) local += QUARTER;
    return this.instants(local)[0]!;
  }

  /** An instant as the value of an input: `YYYY-MM-DDTHH:MM` on this clock. */
  input(instant: number): string {
    return new Date(this.local(instant)).toISOString().slice(0, -8);
  }

  /** The date of an instant on this clock: `YYYY-MM-DD`. */
  date(instant: number): string {
    return this.input(instant).slice(0, 10);
  }

  /** The instants that the value of an input names; none if it is invalid, or if the clock skips it. */
  parse(value: string): number[] {
    const local = Date.parse(`${value.slice(0, 16)}Z`);
    return Number.isNaN(local) ? [] : this.instants(local);
  }
}

/** Whether the browser knows a zone. With an empty `TZ`, Chromium reports Etc/Unknown, which it does not know. */
export function isZone(name: string): boolean {
  try {
    return new Zone(name).name === name;
  } catch {
    return false;
  }
}

/** @param days may be negative */
export function dateAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10);
}

/** A day, which may have 23, 24.5 or 25 hours when clocks change. */
export interface Day extends Range {
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** The instants at which the clock shows a full hour, and that hour, 0 to 23. */
  readonly hours: readonly { readonly at: number; readonly hour: number }[];
}

/** What the page shows: one day, or the seven days of a week. */
export interface Span extends Range {
  readonly zone: Zone;
  readonly isWeek: boolean;
  readonly days: readonly Day[];
}

/**
 * The day or the week of a view; today's if the view has no date.
 *
 * @param firstDay the weekday on which weeks begin: 1 is Monday, 7 is Sunday
 */
export function spanOf(view: { date: string; span: 'day' | 'week'; zone: string }, now: number, firstDay = 1) {
  const zone = new Zone(view.zone);
  const isWeek = view.span === 'week';
  let date = view.date || zone.date(now);
  // A day the zone skipped entirely, as Apia did in 2011.
  if (zone.startOf(date) === zone.startOf(dateAfter(date, 1))) date = dateAfter(date, 1);
  const first = isWeek ? dateAfter(date, -((new Date(date).getUTCDay() + 7 - firstDay) % 7)) : date;
  const days = Array.from({ length: isWeek ? 7 : 1 }, (_, index) => dayOf(zone, dateAfter(first, index)));
  return { zone, isWeek, days, start: days[0]!.start, end: days.at(-1)!.end } satisfies Span;
}

/** The instant at which the clock of a day shows an hour; the start of the day if the clock skips that hour. */
export function hourOf({ hours, start }: Day, hour: number): number {
  return hours.find((one) => one.hour === hour)?.at ?? start;
}

function dayOf(zone: Zone, date: string): Day {
  const start = zone.startOf(date);
  const end = zone.startOf(dateAfter(date, 1));
  const quarters = Array.from({ length: (end - start) / QUARTER }, (_, index) => start + index * QUARTER);
  const hours = quarters.filter((at) => zone.local(at) % HOUR === 0);
  return { date, start, end, hours: hours.map((at) => ({ at, hour: new Date(zone.local(at)).getUTCHours() })) };
}
