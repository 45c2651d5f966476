import type { Booked, Bookings, Part } from './bookings.js';
import { type Day, hourOf, MINUTE, type Range, type Span, type Zone } from './time.js';
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
  /** Whether it is free for as long as is searched for. */
  readonly isWanted: boolean;
  /** Whether a booking of it has what is searched for. */
  readonly isFound: boolean;
  readonly day?: readonly Booked[];
}

const { compare } = new Intl.Collator('en', { numeric: true });

/** The rows of a view by name, grouped by what is before their first slash, those without one first. */
export function rowsOf(bookings: Bookings, span: Span, view: View): Row[] {
  const resources = bookings.resources.toSorted(compare).filter((resource) => isShown(bookings, resource, span, view));
  const groups = [...new Set(bookings.resources.map(groupOf))].toSorted(compare);
  return groups.flatMap((text, tint): Row[] => {
    const keys = resources.filter((resource) => groupOf(resource) === text);
    const rows = keys.map((key) => ({ key, text: text === '' ? key : key.slice(text.length + 1), tint }));
    const head: Row = { key: `\n${text}`, text, count: rows.length, tint };
    return text === '' || rows.length === 0 ? rows : [head].concat(rows);
  });
}

export function cellsIn(bookings: Bookings, resource: string, { days, zone }: Span, view: View): Cell[] {
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

/** Whether a booking has what is searched for. */
export function isHit(booked: Booked | undefined, { filter }: View): boolean {
  return booked !== undefined && filter.trim() !== '' && hasWords(booked.label, filter);
}

function isShown(bookings: Bookings, resource: string, span: Span, view: View): boolean {
  const isMatch =
    hasWords(resource, view.filter) || bookings.booked(resource, span).some((booked) => isHit(booked, view));
  if (!isMatch || view.free === '') return isMatch;
  return span.days.some((day) => partsOf(bookings, resource, day, span.zone, view).some(({ isWanted }) => isWanted));
}

/** The parts of a day. Free time is cut where the wanted time begins and ends. */
function partsOf(bookings: Bookings, resource: string, day: Day, zone: Zone, view: View): Cell[] {
  const wanted = wantedTime(day, zone, view);
  const length = Number(view.free) * MINUTE;
  const isWanted = ({ start, end, booked, isUnread }: Part) => {
    if (!wanted || booked || isUnread) return false;
    return Math.min(end, wanted.end) - Math.max(start, wanted.start) >= length;
  };
  return bookings.parts(resource, day).flatMap((part) => {
    const cuts = wanted && isWanted(part) ? [wanted.start, wanted.end] : [];
    const edges = cuts.filter((edge) => edge > part.start && edge < part.end);
    return [part.start, ...edges].map((start, index) => {
      const cut = Object.assign({}, part, { resource, start, end: edges[index] ?? part.end });
      return Object.assign(cut, { isWanted: isWanted(cut), isFound: isHit(part.booked, view) });
    });
  });
}

/** The time in which something is to be free: exactly the wanted time, or some of a day, in a week from 8 to 18. */
function wantedTime(day: Day, zone: Zone, view: View): Range | undefined {
  if (view.free === '') return undefined;
  const now = Math.floor(Date.now() / MINUTE) * MINUTE;
  const exact = view.at === '' ? undefined : zone.parse(`${day.date}T${view.at}`)[0];
  if (exact !== undefined) {
    const end = exact + Number(view.free) * MINUTE;
    return exact < now ? undefined : { start: exact, end };
  }
  const isWeek = view.span === 'week';
  const start = isWeek ? hourOf(day, 8) : day.start;
  return { start: Math.max(start, now), end: isWeek ? hourOf(day, 18) : day.end };
}

/** Whether a text has all words, whatever their case and accents. */
function hasWords(text: string, words: string): boolean {
  if (words === '') return true;
  const searched = plain(text);
  return plain(words)
    .split(/\s+/)
    .every((word) => searched.includes(word));
}

function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** The part of a name before its first slash. */
function groupOf(resource: string): string {
  const slash = resource.indexOf('/');
  return slash > 0 && slash < resource.length - 1 ? resource.slice(0, slash) : '';
}
