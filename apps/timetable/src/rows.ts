import type { Booked, Bookings, Part } from './bookings.js';
import { plain } from './texts.js';
import { type Day, isWithin, type Range, type Span } from './time.js';
import type { View } from './view.js';

const MINUTE = 60_000;

/** A row of the grid: the heading of a group, which has a count, or a resource. */
export interface Row {
  /** The name of a resource; of a group, one that no resource can have. */
  readonly key: string;
  readonly text: string;
  readonly count?: number;
  /** Number of the group's colour. */
  readonly tint: number;
  /** Whether the resource is not free at the wanted time. */
  readonly isTaken?: boolean;
}

/** A cell of a row: a part of a day, or a day of a week with its bookings. */
export interface Cell extends Part {
  readonly resource: string;
  /** Whether it has the free time that is wanted. */
  readonly isWanted: boolean;
  /** Milliseconds that a click books. */
  readonly length: number;
  readonly day?: readonly Booked[];
}

const { compare } = new Intl.Collator('en', { numeric: true });

/** The wanted free time of a day: a stretch from a time of the clock on, or any long enough from now on. */
function wantedOf({ date, start, end }: Day, { zone }: Span, { free, at }: View): Range & { length: number } {
  const length = free * MINUTE;
  const [from] = at === undefined ? [] : zone.instants(Date.parse(`${date}T${at}Z`));
  if (from !== undefined) return { length, start: from, end: from + length };
  return { length, start: Math.max(start, Math.floor(Date.now() / MINUTE) * MINUTE), end };
}

function isFree({ start, end, booked, isUnread }: Part, wanted: ReturnType<typeof wantedOf>): boolean {
  if (booked !== undefined || isUnread || wanted.length === 0) return false;
  return Math.min(end, wanted.end) - Math.max(start, wanted.start) >= wanted.length;
}

function isFreeOn(bookings: Bookings, resource: string, day: Day, span: Span, view: View): boolean {
  const wanted = wantedOf(day, span, view);
  return bookings.parts(resource, day).some((part) => isFree(part, wanted));
}

/**
 * The rows of a view: resources by name, grouped by what is before their first slash, those without one first. With a
 * time at which they are to be free, the ones that are free on most days come first, and nothing is grouped.
 */
export function rowsOf(bookings: Bookings, span: Span, view: View): Row[] {
  const isExact = view.free > 0 && view.at !== undefined;
  const groups = new Map<string, Row[]>(
    bookings.resources
      .map(groupOf)
      .toSorted(compare)
      .map((group) => [group, []]),
  );
  const tints = [...groups.keys()];
  const rows: (Row & { days: number })[] = [];
  for (const key of bookings.resources.toSorted(compare)) {
    const labels = bookings.booked(key, span).map(({ label }) => label);
    if (![key, ...labels].some((text) => isFound(text, view))) continue;
    const group = groupOf(key);
    const days = view.free === 0 ? 1 : span.days.filter((day) => isFreeOn(bookings, key, day, span, view)).length;
    const text = group === '' || isExact ? key : key.slice(group.length + 1);
    const row = { key, text, tint: tints.indexOf(group), isTaken: days === 0, days };
    if (isExact) rows.push(row);
    else if (days > 0) groups.get(group)!.push(row);
  }
  for (const [tint, [text, own]] of [...groups].entries()) {
    if (text !== '' && own.length > 0) own.unshift({ key: `\n${text}`, text, count: own.length, tint });
  }
  return isExact ? rows.toSorted((one, other) => other.days - one.days) : [...groups.values()].flat();
}

/** The cells of a row: in a day its parts, with an exact wanted time as a cell between others; in a week, the days. */
export function cellsOf(bookings: Bookings, resource: string, span: Span, view: View): Cell[] {
  const length = (view.free || 60) * MINUTE;
  if (span.days.length > 1) {
    return span.days.map((day) => {
      const [isWanted, isUnread] = [isFreeOn(bookings, resource, day, span, view), bookings.isUnread(day)];
      const { start, end } = day;
      return { resource, start, end, isWanted, isUnread, length, day: bookings.booked(resource, day) };
    });
  }
  const wanted = wantedOf(span.days[0]!, span, view);
  return bookings.parts(resource, span).flatMap((part) => {
    const edges = isFree(part, wanted) ? [wanted.start, wanted.end] : [];
    const within = [part.start, ...edges.filter((edge) => edge > part.start && edge < part.end), part.end];
    return within.slice(1).map((end, index) => {
      const cut: Part = Object.assign({}, part, { start: within[index]!, end });
      return Object.assign(cut, { resource, length, isWanted: isFree(cut, wanted) });
    });
  });
}

export function cellAt(cells: readonly Cell[], instant: number): Cell | undefined {
  return cells.find((cell) => isWithin(cell, instant));
}

export function isFound(text: string, { filter }: View): boolean {
  const [searched, words] = [plain(text), plain(filter).split(/\s+/)];
  return words.every((word) => searched.includes(word));
}

/** The part of a name before its first slash. */
function groupOf(resource: string): string {
  const slash = resource.indexOf('/');
  return slash > 0 && slash < resource.length - 1 ? resource.slice(0, slash) : '';
}
