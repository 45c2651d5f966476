import { type Booked, bookings, type Slot } from './bookings.js';
import { byId, showToast } from './dom.js';
import { isFormOpen, openForm, showSlot } from './form.js';
import * as grid from './grid.js';
import { closePanel, showDetails, showForm } from './panel.js';
import type { Cell } from './rows.js';
import { isolated, whenText } from './texts.js';
import { HOUR, hourOf, isWithin, MINUTE, QUARTER } from './time.js';
import { changeView, span, view } from './view.js';

/** Whether the page offers to book: until the service first says that this token cannot. */
export function canBook(): boolean {
  return !byId('new').hidden;
}

export function allowBooking(isAllowed: boolean): void {
  if (isAllowed === canBook()) return;
  byId('new').hidden = !isAllowed;
  if (!isAllowed) showToast('This token cannot create bookings: nothing was booked; the page is read-only.');
  closePanel();
}

/**
 * Offers what a search has found, or the next free hour: from now on today, from nine on any other day, of the
 * resource at the keyboard's position, or else of any.
 */
export function bookNext(): void {
  // A week leads to the day at the keyboard's position.
  if (grid.active && span.days.length > 1) openDay(span.zone.date(grid.active.at));
  const own = grid.active ? [grid.active.resource] : [];
  const cells = [...own, ...grid.resources].flatMap((name) => grid.cellsOf(name));
  const wanted = cells.find((cell) => cell.isWanted);
  if (wanted) return choose(wanted, wanted.start);
  const now = Date.now();
  const first = isWithin(span, now) ? Math.ceil(now / HOUR) * HOUR : hourOf(span.days[0]!, 9);
  const free = firstFree(own, first) ?? firstFree(grid.resources, first);
  bookSlot(free ?? { resource: '', start: first, end: first + HOUR });
}

/** The first hour from an instant on that one of the resources has free. */
function firstFree(resources: readonly string[], from: number): Slot | undefined {
  const cells = resources.flatMap((name) => grid.cellsOf(name));
  const slots = cells.flatMap(({ resource, start, end, booked, isUnread }) => {
    const first = Math.max(start, from);
    return booked || isUnread || end - first < HOUR ? [] : [{ resource, start: first, end: first + HOUR }];
  });
  return slots.toSorted((one, other) => one.start - other.start)[0];
}

/** Opens what a cell shows, or books its free time: from the half hour of the clock before `at` if there is more. */
export function choose(cell: Cell, at: number): void {
  const { resource, start, end, booked, day } = cell;
  if (day) return openDay(span.zone.date(start));
  if (booked) return open(booked);
  const length = Number(view.free) * MINUTE || HOUR;
  const half = at - (span.zone.local(at) % (2 * QUARTER));
  const next = Math.ceil(Date.now() / QUARTER) * QUARTER;
  const first = isWithin(cell, next) ? next : start;
  const from = end - first > length ? Math.max(first, half) : first;
  book({ resource, start: from, end: Math.min(end, from + length) });
}

function open(booked: Booked): void {
  if (!isFormOpen()) return showDetails(booked);
  grid.mark('open', booked);
  const when = whenText(span.zone, booked);
  showToast(`${isolated(booked.label)}, ${when}. Finish or cancel the open form for more.`);
}

/** Shows a day, with what was searched for in the row of the keyboard's position in sight. */
export function openDay(date: string): void {
  const resource = grid.active?.resource ?? '';
  changeView({ date, span: 'day' });
  const asked = grid.cellsOf(resource).find(({ isWanted, isFound }) => isWanted || isFound);
  grid.activate(resource, asked?.start ?? hourOf(span.days[0]!, 9), asked && 'reveal');
}

/** Opens the form for a slot, or moves that of the open one, if the beginning of the slot was read. */
export function book(slot: Slot): void {
  if (!bookings.isUnread({ start: slot.start, end: slot.start + 1 })) return bookSlot(slot);
  cancelChoice();
  showToast('This time has not been read.');
}

function bookSlot(slot: Slot): void {
  if (!canBook()) return;
  grid.mark('open');
  if (!isFormOpen()) showForm();
  openForm(slot);
}

/** Focuses the keyboard's position, which a search has moved to the first booking that it found. */
function enterGrid(): void {
  if (grid.active) grid.activate(grid.active.resource, grid.active.at, 'reveal');
}

/** Marks what the form has, and no more what was being dragged. */
export function cancelChoice(): void {
  grid.mark('chosen');
  showSlot();
}

byId('new').addEventListener('click', bookNext);
byId('skip').addEventListener('click', enterGrid);
byId('filter').addEventListener('keydown', ({ key }) => {
  if (key === 'Enter') enterGrid();
});
