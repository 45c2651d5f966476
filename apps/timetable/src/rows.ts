import type { Cell, Schedule } from './schedule.js';
import type { Span } from './span.js';
import type { View } from './view.js';

/** A row of the grid: the heading of a group, or a resource. */
export type Row =
  | { readonly group: string }
  | { readonly group?: undefined; readonly resource: string; readonly name: string };

const { compare } = new Intl.Collator('en', { numeric: true });

/**
 * The rows of a view: resources by name, grouped by what is before their first slash, those without one first.
 *
 * @param now free time before this does not count
 */
export function rowsOf(schedule: Schedule, span: Span, { filter, free }: View, now: number): Row[] {
  const words = plain(filter).split(/\s+/).filter(Boolean);
  const shown = [...schedule.resources].filter((resource) => {
    const name = plain(resource);
    if (!words.every((word) => name.includes(word))) return false;
    return free === 0 || schedule.cells(resource, span.start, span.end).some((cell) => isFreeFor(cell, free, now));
  });
  const groups = new Map<string, string[]>();
  for (const resource of shown) {
    const group = groupOf(resource);
    const members = groups.get(group);
    if (members === undefined) groups.set(group, [resource]);
    else members.push(resource);
  }
  const rows: Row[] = [];
  for (const group of [...groups.keys()].toSorted(compare)) {
    if (group !== '') rows.push({ group });
    for (const resource of groups.get(group)!.toSorted(compare)) {
      rows.push({ resource, name: group === '' ? resource : resource.slice(group.length + 1) });
    }
  }
  return rows;
}

/** Lower case without accents. */
function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** Whether a cell is free for that many minutes from now. */
export function isFreeFor({ start, end, booked, isUnread }: Cell, minutes: number, now: number): boolean {
  return booked === undefined && !isUnread && minutes > 0 && end - Math.max(start, now) >= minutes * 60_000;
}

/** The part of a name before its first slash. */
function groupOf(resource: string): string {
  const slash = resource.indexOf('/');
  return slash > 0 && slash < resource.length - 1 ? resource.slice(0, slash) : '';
}
