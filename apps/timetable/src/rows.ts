import type { Booked, Bookings, Part } from './bookings.js';
import { plain } from './texts.js';
import { type Day, isWithin, type Range, type Span } from './time.js';
import type { View } from './view.js';

const MINUTE = 60_000;

/** A row of the grid: the heading of a group, or a resource. */
export interface Row {
  /** The name of a resource; of a group, one that no resource can have. */
  readonly key: string;
  readonly text: string;
  /** Resources of a group. */
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
  readonly day?: { readonly date: string; readonly bookings: readonly Booked[] };
}

/** Free time that is wanted: a stretch, or any time within it that is long enough. */
interface Wanted extends Range {
  readonly minutes: number;
}

const { compare } = new Intl.Collator('en', { numeric: true });

/** The wanted free time of a day: from a time of the clock on, or any from now on. */
function wantedOf({ date, start, end }: Day, { zone }: Span, { free: minutes, at }: View): Wanted {
  const [from] = at === undefined ? [] : zone.instants(Date.parse(`${date}T${at}Z`));
  if (from !== undefined) return { minutes, start: from, end: from + minutes * MINUTE };
  return { minutes, start: Math.max(start, Math.floor(Date.now() / MINUTE) * MINUTE), end };
}

function isFree({ start, end, booked, isUnread }: Part, wanted: Wanted): boolean {
  if (booked !== undefined || isUnread || wanted.minutes === 0) return false;
  return Math.min(end, wanted.end) - Math.max(start, wanted.start) >= wanted.minutes * MINUTE;
}

/**
 * The rows of a view: resources by name, grouped by what is before their first slash, those without one first. With a
 * time at which they are to be free, the ones that are free on most days come first, and nothing is grouped.
 */
export function rowsOf(bookings: Bookings, span: Span, view: View): Row[] {
  const { free } = view;
  const isExact = free > 0 && view.at !== undefined;
  const groups = [...new Set(bookings.resources.map(groupOf))].toSorted(compare);
  const members = new Map(groups.map((group): [string, Row[]] => [group, []]));
  const rows: (Row & { days: number })[] = [];
  for (const key of bookings.resources.filter((name) => isShown(bookings, name, span, view)).toSorted(compare)) {
    const group = groupOf(key);
    const days = free === 0 ? 1 : span.days.filter((day) => isFreeOn(bookings, key, day, span, view)).length;
    const row = { key, text: group === '' || isExact ? key : key.slice(group.length + 1), tint: groups.indexOf(group) };
    rows.push({ ...row, days, isTaken: days === 0 });
    if (days > 0) members.get(group)!.push(row);
  }
  if (isExact) return rows.toSorted((one, other) => other.days - one.days);
  return groups.flatMap((text, tint) => {
    const own = members.get(text)!;
    const isGroup = text !== '' && own.length > 0;
    return isGroup ? [{ key: `\n${text}`, text, count: own.length, tint }].concat(own as never[]) : own;
  });
}

function isFreeOn(bookings: Bookings, resource: string, day: Day, span: Span, view: View): boolean {
  const wanted = wantedOf(day, span, view);
  return bookings.parts(resource, day).some((part) => isFree(part, wanted));
}

/** The cells of a row: in a day its parts, with an exact wanted time as a cell between others; in a week, the days. */
export function cellsOf(bookings: Bookings, resource: string, span: Span, view: View): Cell[] {
  const length = (view.free || 60) * MINUTE;
  if (span.days.length > 1) {
    return span.days.map((day) => {
      const [isWanted, isUnread] = [isFreeOn(bookings, resource, day, span, view), bookings.isUnread(day)];
      const own = { date: day.date, bookings: bookings.booked(resource, day) };
      return { resource, start: day.start, end: day.end, isWanted, isUnread, length, day: own };
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

/** The cell of a row at an instant. */
export function cellAt(cells: readonly Cell[], instant: number): Cell | undefined {
  return cells.find((cell) => isWithin(cell, instant));
}

/** Whether a text contains all words of a search. */
export function isFound(text: string, { filter }: View): boolean {
  const [searched, words] = [plain(text), plain(filter).split(/\s+/)];
  return words.every((word) => searched.includes(word));
}

/** Whether a resource's name, or what one of its bookings says, is found. */
function isShown(bookings: Bookings, resource: string, span: Span, view: View): boolean {
  return isFound(resource, view) || bookings.booked(resource, span).some(({ label }) => isFound(label, view));
}

/** The part of a name before its first slash. */
function groupOf(resource: string): string {
  const slash = resource.indexOf('/');
  return slash > 0 && slash < resource.length - 1 ? resource.slice(0, slash) : '';
}
