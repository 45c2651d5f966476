/** The rows and cells of a view: resources by group, the parts of their time, and the results of a search. */

import type { View } from './address.js';
import type { Booked, Bookings, Part } from './bookings.js';
import { plain, wordsOf } from './labels.js';
import { type Day, hourOf, isOver, MINUTE, type Range, type Span, type Zone } from './time.js';

/** A row of the grid: a resource, or the heading of a group. */
export interface Row {
  /** The name of the resource; for a group, a text that cannot name a resource. */
  readonly key: string;
  readonly text: string;
  /** The number of resources shown in a group; undefined for a resource. */
  readonly count?: number;
  /** The index of the group, which decides the row's colour. */
  readonly tint: number;
}

/** A cell of a row: a part of a day or, in a week, a whole day. */
export interface Cell extends Part {
  readonly resource: string;
  /** Whether the cell is free time that the search asks for or, in a week, contains any. */
  readonly isWanted: boolean;
  /** Whether a booking in the cell matches the search. */
  readonly isFound: boolean;
  /** The bookings of the day, if the view is a week. */
  readonly day?: readonly Booked[];
}

const { compare } = new Intl.Collator('en', { numeric: true });

/** The rows of a view in the order of their names. Resources without a group come first. */
export function rowsOf(bookings: Bookings, span: Span, view: View): Row[] {
  const resources = bookings.resources.toSorted(compare).filter((resource) => isShown(bookings, resource, span, view));
  const groups = [...new Set(bookings.resources.map(groupOf))].toSorted(compare);
  return groups.flatMap((group, tint): Row[] => {
    const members = resources.filter((resource) => groupOf(resource) === group);
    const prefix = group === '' ? 0 : group.length + 1;
    const rows = members.map((key) => ({ key, text: key.slice(prefix), tint }));
    const heading: Row = { key: `\n${group}`, text: group, count: rows.length, tint };
    return prefix > 0 && rows.length > 0 ? [heading].concat(rows) : rows;
  });
}

export function cellsIn(bookings: Bookings, resource: string, { days, isWeek, zone }: Span, view: View): Cell[] {
  return days.flatMap((day): Cell[] => {
    const parts = partsOf(bookings, resource, day, zone, view);
    if (!isWeek) return parts;
    const { start, end } = day;
    const isWanted = parts.some((part) => part.isWanted);
    const isFound = parts.some((part) => part.isFound);
    const isUnread = bookings.isUnread(day);
    return [{ resource, start, end, isWanted, isFound, isUnread, day: bookings.booked(resource, day) }];
  });
}

/**
 * What an agenda lists of a day, by time: bookings or, in a search for free time, what is free. What is over comes
 * first, so that what is on now precedes what comes next.
 */
export function itemsOf(bookings: Bookings, resources: readonly string[], day: Day, zone: Zone, view: View): Cell[] {
  const cells = resources.flatMap((resource) => partsOf(bookings, resource, day, zone, view));
  const now = Date.now();
  const rank = (cell: Cell) => Number(!isOver(cell, now));
  const byTime = (one: Cell, other: Cell) => rank(one) - rank(other) || one.start - other.start;
  return cells.filter((cell) => isItem(cell, view)).toSorted(byTime);
}

function isItem({ booked, isWanted }: Cell, { filter, free }: View): boolean {
  return free === '' && booked ? isMatch(filter, booked.resource, booked) : isWanted;
}

/** Whether the search finds a booking by its own texts: by some of them, and others perhaps of its resource. */
export function isHit(booked: Booked | undefined, { filter }: View): boolean {
  return booked !== undefined && !isMatch(filter, booked.resource) && isMatch(filter, booked.resource, booked);
}

/** Whether a resource or one of its bookings matches the search, and the resource is free for as long as asked. */
function isShown(bookings: Bookings, resource: string, span: Span, view: View): boolean {
  const { filter, free } = view;
  const all = bookings.booked(resource, span);
  const isFound = isMatch(filter, resource) || all.some((booked) => isMatch(filter, resource, booked));
  if (!isFound || free === '') return isFound;
  return span.days.some((day) => partsOf(bookings, resource, day, span.zone, view).some(({ isWanted }) => isWanted));
}

/** The parts of a day. Free time that the search asks for is divided at the edges of `wantedTime`. */
function partsOf(bookings: Bookings, resource: string, day: Day, zone: Zone, view: View): Cell[] {
  const wanted = wantedTime(day, zone, view);
  const length = Number(view.free) * MINUTE;
  const isWanted = ({ start, end, booked, isUnread }: Part) => {
    if (!wanted || booked || isUnread) return false;
    return Math.min(end, wanted.end) - Math.max(start, wanted.start) >= length;
  };
  const cells: Cell[] = [];
  for (const part of bookings.parts(resource, day)) {
    const isFound = isHit(part.booked, view);
    const cuts = wanted && isWanted(part) ? [wanted.start, wanted.end] : [];
    const edges = cuts.filter((cut) => cut > part.start && cut < part.end);
    for (const [index, start] of [part.start, ...edges].entries()) {
      const piece = { ...part, resource, start, end: edges[index] ?? part.end };
      cells.push({ ...piece, isWanted: isWanted(piece), isFound });
    }
  }
  return cells;
}

/**
 * The part of a day in which the search looks for free time: from the time that it names, for as long as it asks; if it
 * names none, all of the day (in a week, 8 to 18 o'clock) except the past. Undefined without a search for free time,
 * and if the time that it names is past.
 */
function wantedTime(day: Day, zone: Zone, view: View): Range | undefined {
  if (view.free === '') return undefined;
  const now = Math.floor(Date.now() / MINUTE) * MINUTE;
  const exact = view.at === '' ? undefined : zone.parse(`${day.date}T${view.at}`)[0];
  if (exact !== undefined) {
    const end = exact + Number(view.free) * MINUTE;
    return exact < now ? undefined : { start: exact, end };
  }
  // Every day of a week would look free if its nights counted.
  const isWeek = view.span === 'week';
  const start = isWeek ? hourOf(day, 8) : day.start;
  return { start: Math.max(start, now), end: isWeek ? hourOf(day, 18) : day.end };
}

/** Whether every word of a search is in the name of a resource or, if given, in the texts of its booking. */
function isMatch(filter: string, resource: string, booked?: Booked): boolean {
  if (filter.trim() === '') return true;
  const text = `${plain(resource)} ${booked ? wordsOf(booked.booking) : ''}`;
  return plain(filter)
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The part of a name before its first slash; empty for a resource without a group. */
function groupOf(resource: string): string {
  const slash = resource.indexOf('/');
  return slash > 0 && slash < resource.length - 1 ? resource.slice(0, slash) : '';
}
