import { plain, searchTextOf } from './label.js';
import type { Range } from './schedule.js';
import type { Cell, Schedule } from './schedule.js';
import { isWithin, type Span } from './span.js';
import type { View } from './view.js';

const MINUTE = 60_000;

/** A row of the grid: the heading of a group, or a resource. */
export type Row =
  | { readonly group: string; readonly count: number; readonly tint: number }
  | {
      readonly group?: undefined;
      readonly resource: string;
      readonly name: string;
      /** Number of the group's colour. */
      readonly tint: number;
      /** Whether the resource is not free at the chosen time. */
      readonly isTaken: boolean;
    };

/** The time of the filter for free resources: a stretch, or any time that is long enough. */
export interface Wanted extends Range {
  /** Minutes; 0 for none. */
  readonly minutes: number;
  /** Whether it is from `start` to `end`, and not any time between these. */
  readonly isExact: boolean;
}

/** Any resource. */
const NONE: Wanted = { minutes: 0, start: 0, end: 0, isExact: false };

const { compare } = new Intl.Collator('en', { numeric: true });

/**
 * The rows of a view: resources by name, grouped by what is before their first slash, those without one first. With a
 * chosen time, the ones that are free then come first.
 */
export function rowsOf(schedule: Schedule, span: Span, { filter }: View, wanted: Wanted): Row[] {
  const words = wordsOf(filter);
  const tints = tintsOf(schedule.resources);
  const isFree = (resource: string) =>
    schedule.cells(resource, span.start, span.end).some((cell) => isWanted(cell, wanted));
  const shown = [...schedule.resources].filter((resource) => isFound(schedule, span, resource, words));
  const row = (resource: string, name: string, isTaken = false) => {
    return { resource, name, isTaken, tint: tints.get(groupOf(resource))! };
  };
  if (wanted.isExact) {
    const free = new Set(shown.filter(isFree));
    const sorted = shown.toSorted(compare).map((name) => row(name, name, !free.has(name)));
    return sorted.toSorted((one, other) => Number(one.isTaken) - Number(other.isTaken));
  }
  const groups = new Map<string, string[]>();
  for (const resource of wanted.minutes > 0 ? shown.filter(isFree) : shown) {
    const group = groupOf(resource);
    const members = groups.get(group);
    if (members === undefined) groups.set(group, [resource]);
    else members.push(resource);
  }
  const rows: Row[] = [];
  for (const group of [...groups.keys()].toSorted(compare)) {
    const members = groups.get(group)!.toSorted(compare);
    if (group !== '') rows.push({ group, count: members.length, tint: tints.get(group)! });
    for (const resource of members)
      rows.push(row(resource, group === '' ? resource : resource.slice(group.length + 1)));
  }
  return rows;
}

/** The wanted free time: at a time, today in a week if it has that, else on its first day; or else from now on. */
export function wantedOf(span: Span, { free, at }: View, now: number): Wanted {
  if (free === 0) return NONE;
  const day = span.days.find((candidate) => isWithin(candidate, now)) ?? span.days[0]!;
  const [start] = at === undefined ? [] : span.zone.instants(Date.parse(`${day.date}T${at}Z`));
  if (start !== undefined) return { minutes: free, start, end: start + free * MINUTE, isExact: true };
  const from = Math.max(span.start, Math.floor(now / MINUTE) * MINUTE);
  return { minutes: free, start: from, end: span.end, isExact: false };
}

/** Whether a cell has the wanted free time. */
export function isWanted({ start, end, booked, isUnread }: Cell, wanted: Wanted): boolean {
  if (booked !== undefined || isUnread || wanted.minutes === 0) return false;
  return Math.min(end, wanted.end) - Math.max(start, wanted.start) >= wanted.minutes * MINUTE;
}

/** The cells of a row, with the wanted time as a free cell between others. */
export function cellsOf(schedule: Schedule, resource: string, span: Span, wanted: Wanted): Cell[] {
  return schedule.cells(resource, span.start, span.end).flatMap((cell) => {
    if (!isWanted(cell, wanted)) return [cell];
    const edges = [wanted.start, wanted.end].filter((edge) => edge > cell.start && edge < cell.end);
    const within = [cell.start, ...edges, cell.end];
    return within.slice(1).map((end, index) => ({ start: within[index]!, end }));
  });
}

/** The words of a search, without accents and in lower case. */
export function wordsOf(filter: string): string[] {
  return plain(filter).split(/\s+/).filter(Boolean);
}

/** What distinguishes a row from others: names of resources have no control characters. */
export function keyOf(row: Row): string {
  return row.group === undefined ? row.resource : `\n${row.group}`;
}

/** Whether the name of a resource, or what one of its bookings says, contains all words. */
function isFound(schedule: Schedule, span: Span, resource: string, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const name = plain(resource);
  if (words.every((word) => name.includes(word))) return true;
  return schedule
    .booked(resource, span.start, span.end)
    .some(({ booking }) => words.every((word) => searchTextOf(booking).includes(word)));
}

/** The part of a name before its first slash. */
function groupOf(resource: string): string {
  const slash = resource.indexOf('/');
  return slash > 0 && slash < resource.length - 1 ? resource.slice(0, slash) : '';
}

/** Colours by the order of the groups' names. */
function tintsOf(resources: Iterable<string>): Map<string, number> {
  const groups = new Set<string>();
  for (const resource of resources) groups.add(groupOf(resource));
  return new Map([...groups].toSorted(compare).map((group, index) => [group, index]));
}
