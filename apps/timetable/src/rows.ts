import type { Booked, Bookings, Part } from './bookings.js';
import { type Day, isWithin, MINUTE, type Span, type Zone } from './time.js';
import type { View } from './view.js';

/** A row of the grid: the heading of a group, which has a count, or a resource. */
export interface Row {
  /** The name of a resource; of a group, one that no resource can have. */
  readonly key: string;
  readonly text: string;
  readonly count?: number;
  readonly tint: number;
  /** Whether the resource is not free at the wanted time. */
  readonly isTaken?: boolean;
}

interface DayPart extends Part {
  readonly isWanted: boolean;
}

/** A cell of a row: a part of a day, or a day of a week with its bookings. */
export interface Cell extends DayPart {
  readonly resource: string;
  readonly day?: readonly Booked[];
}

const { compare } = new Intl.Collator('en', { numeric: true });

/** The parts of a day. Free time is cut where the wanted time begins and ends: at a time of the clock, or from now on. */
function partsOf(bookings: Bookings, resource: string, day: Day, zone: Zone, { free, at }: View): DayPart[] {
  const length = free * MINUTE;
  const [exact] = at === undefined ? [] : zone.parse(`${day.date}T${at}`);
  const from = exact ?? Math.max(day.start, Math.floor(Date.now() / MINUTE) * MINUTE);
  const to = exact === undefined ? day.end : exact + length;
  const isWanted = ({ start, end, booked, isUnread }: Part) =>
    length > 0 && !booked && !isUnread && Math.min(end, to) - Math.max(start, from) >= length;
  return bookings.parts(resource, day).flatMap((part) => {
    const edges = [from, to].filter((edge) => isWanted(part) && edge > part.start && edge < part.end);
    return [part.start, ...edges].map((start, index) => {
      const cut = Object.assign({}, part, { start, end: edges[index] ?? part.end });
      return Object.assign(cut, { isWanted: isWanted(cut) });
    });
  });
}

/**
 * The rows of a view: resources by name, grouped by what is before their first slash, those without one first. With a
 * time at which they are to be free, the ones that are free on most days come first, and nothing is grouped.
 */
export function rowsOf(bookings: Bookings, { days, zone, start, end }: Span, view: View): Row[] {
  const isExact = view.free > 0 && view.at !== undefined;
  const groups = [...new Set(bookings.resources.map(groupOf))].toSorted(compare);
  const rows = bookings.resources.toSorted(compare).flatMap((key) => {
    const isFree = (day: Day) => partsOf(bookings, key, day, zone, view).some(({ isWanted }) => isWanted);
    const freeDays = view.free === 0 ? 1 : days.filter(isFree).length;
    const labels = bookings.booked(key, { start, end }).map(({ label }) => label);
    if (![key, ...labels].some((text) => isFound(text, view)) || (freeDays === 0 && !isExact)) return [];
    const group = groupOf(key);
    const text = group === '' || isExact ? key : key.slice(group.length + 1);
    return [{ key, text, tint: groups.indexOf(group), isTaken: freeDays === 0, freeDays }];
  });
  if (isExact) return rows.toSorted((one, other) => other.freeDays - one.freeDays);
  return groups.flatMap((text, tint): Row[] => {
    const own = rows.filter((row) => row.tint === tint);
    const head: Row = { key: `\n${text}`, text, count: own.length, tint };
    return text === '' || own.length === 0 ? own : [head].concat(own);
  });
}

export function cellsOf(bookings: Bookings, resource: string, { days, zone }: Span, view: View): Cell[] {
  return days.flatMap((day): Cell[] => {
    const parts = partsOf(bookings, resource, day, zone, view);
    if (days.length === 1) return parts.map((part) => Object.assign(part, { resource }));
    const { start, end } = day;
    const [isWanted, isUnread] = [parts.some((part) => part.isWanted), bookings.isUnread(day)];
    return [{ resource, start, end, isWanted, isUnread, day: bookings.booked(resource, day) }];
  });
}

export function cellAt(cells: readonly Cell[], instant: number): Cell | undefined {
  return cells.find((cell) => isWithin(cell, instant));
}

export function isFound(text: string, { filter }: View): boolean {
  const plain = (any: string) => any.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const searched = plain(text);
  return plain(filter)
    .split(/\s+/)
    .every((word) => searched.includes(word));
}

/** The part of a name before its first slash. */
function groupOf(resource: string): string {
  const slash = resource.indexOf('/');
  return slash > 0 && slash < resource.length - 1 ? resource.slice(0, slash) : '';
}
