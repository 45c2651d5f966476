import type { Cell, Schedule } from './schedule.js';
import type { Span } from './span.js';
import type { View } from './view.js';

/** A line of the grid: the heading of a group, or a resource with what it has in the span. */
export type Row =
  | { readonly group: string }
  | { readonly group?: undefined; readonly resource: string; readonly name: string };

const { compare } = new Intl.Collator('en', { numeric: true });

/**
 * The lines of a view: resources by name, in groups by what stands before their first slash, those without one first.
 *
 * @param now free time counts from then on
 */
export function rowsOf(schedule: Schedule, span: Span, { filter, free }: View, now: number): Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = [...schedule.resources].filter((resource) => {
    const name = resource.toLowerCase();
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

/** Whether a cell is free for that many minutes from now on. */
export function isFreeFor({ start, end, booked }: Cell, minutes: number, now: number): boolean {
  return booked === undefined && minutes > 0 && end - Math.max(start, now) >= minutes * 60_000;
}

/** What stands before the first slash of a name. */
function groupOf(resource: string): string {
  const slash = resource.indexOf('/');
  return slash > 0 && slash < resource.length - 1 ? resource.slice(0, slash) : '';
}
