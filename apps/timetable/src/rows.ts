import type { Booked, Bookings, Part } from './bookings.js';
import { type Day, hourOf, MINUTE, type Span, type Zone } from './time.js';
import type { View } from './view.js';

/** A row of the grid: the heading of a group, which has a count, or a resource. */
export interface Row {
  /** The name of a resource; of a group, one that no resource can have. */
  readonly key: string;
  readonly text: string;
  readonly count?: number;
  readonly tint: number;
}

/** A cell of a row: a part of a day, or a day of a week with its bookings. */
export interface Cell extends Part {
  readonly resource: string;
  readonly isWanted: boolean;
  /** Whether a booking of it has what is searched for. */
  readonly isFound: boolean;
  readonly day?: readonly Booked[];
}

const { compare } = new Intl.Collator('en', { numeric: true });

/** The parts of a day. Free time is cut where the wanted time begins and ends. */
function partsOf(bookings: Bookings, resource: string, day: Day, zone: Zone, view: View): Cell[] {
  const [length, now] = [Number(view.free) * MINUTE, Math.floor(Date.now() / MINUTE) * MINUTE];
  const [first, last] = view.span === 'week' ? [hourOf(day, 8), hourOf(day, 18)] : [day.start, day.end];
  const [exact] = view.at === '' ? [] : zone.parse(`${day.date}T${view.at}`);
  const [from, to] = exact === undefined ? [Math.max(first, now), last] : [exact, exact + length];
  const isWanted = ({ start, end, booked, isUnread }: Part) =>
    length > 0 && from >= now && !booked && !isUnread && Math.min(end, to) - Math.max(start, from) >= length;
  return bookings.parts(resource, day).flatMap((part) => {
    const edges = [from, to].filter((edge) => isWanted(part) && edge > part.start && edge < part.end);
    return [part.start, ...edges].map((start, index) => {
      const cut = Object.assign({}, part, { resource, start, end: edges[index] ?? part.end });
      return Object.assign(cut, { isWanted: isWanted(cut), isFound: isHit(cut.booked, view) });
    });
  });
}

/** The rows of a view by name, grouped by what is before their first slash, those without one first. */
export function rowsOf(bookings: Bookings, { days, zone, start, end }: Span, view: View): Row[] {
  const isFree = (resource: string) =>
    days.some((day) => partsOf(bookings, resource, day, zone, view).some(({ isWanted }) => isWanted));
  const resources = bookings.resources.toSorted(compare).filter((resource) => {
    const labels = bookings.booked(resource, { start, end }).map(({ label }) => label);
    return [resource, ...labels].some((text) => hasWords(text, view)) && (view.free === '' || isFree(resource));
  });
  const groups = [...new Set(bookings.resources.map(groupOf))].toSorted(compare);
  return groups.flatMap((text, tint): Row[] => {
    const keys = resources.filter((resource) => groupOf(resource) === text);
    const rows = keys.map((key) => ({ key, text: text === '' ? key : key.slice(text.length + 1), tint }));
    const head: Row = { key: `\n${text}`, text, count: rows.length, tint };
    return text === '' || rows.length === 0 ? rows : [head].concat(rows);
  });
}

export function cellsOf(bookings: Bookings, resource: string, { days, zone }: Span, view: View): Cell[] {
  return days.flatMap((day): Cell[] => {
    const parts = partsOf(bookings, resource, day, zone, view);
    if (days.length === 1) return parts;
    const { start, end } = day;
    const isWanted = parts.some((part) => part.isWanted);
    const isFound = parts.some((part) => part.isFound);
    const isUnread = bookings.isUnread(day);
    return [{ resource, start, end, isWanted, isFound, isUnread, day: bookings.booked(resource, day) }];
  });
}

export function isHit(booked: Booked | undefined, view: View): boolean {
  return booked !== undefined && view.filter.trim() !== '' && hasWords(booked.label, view);
}

function hasWords(text: string, { filter }: View): boolean {
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
