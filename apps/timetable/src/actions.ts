/** The user's actions, by pointer, key or button: open a booking, open a day, book a slot. */

import { isWall } from './address.js';
import { type Booked, bookings, type Slot } from './bookings.js';
import { byId, showToast } from './dom.js';
import { openForm, showSlot } from './form.js';
import * as grid from './grid.js';
import { mark } from './marks.js';
import { closePanel } from './panel.js';
import type { Cell } from './rows.js';
import { isolated, whenText } from './texts.js';
import { HOUR, hourOf, isWithin, MINUTE, QUARTER } from './time.js';
import { changeView, isAgenda, span, view } from './view.js';

/** Whether the page offers booking. A 403 to a create ends this, until a token is entered or “Try now” pressed. */
export let canBook = !isWall;

export function allowBooking(isAllowed: boolean): void {
  if (isAllowed === canBook || isWall) return;
  canBook = isAllowed;
  byId('new').hidden = !isAllowed;
  if (isAllowed) return;
  showToast('This token cannot create bookings: nothing was booked.');
  closePanel();
}

/**
 * Opens the day or the booking of a cell, or the form for its free time.
 *
 * @param at an instant in the cell: the form's slot starts at the last full or half hour up to it, but no earlier than
 *   the free time, or the next quarter of an hour if this is in the free time
 */
export function choose(cell: Cell, at: number): void {
  const { resource, start, end, booked, day } = cell;
  if (day) return openDay(span.zone.date(start));
  if (booked) return openBooking(booked);
  const length = Number(view.free) * MINUTE || HOUR;
  const half = at - (span.zone.local(at) % (2 * QUARTER));
  const nextQuarter = Math.ceil(Date.now() / QUARTER) * QUARTER;
  const first = isWithin(cell, nextQuarter) ? nextQuarter : start;
  const from = end - first > length ? Math.max(first, half) : first;
  book({ resource, start: from, end: Math.min(end, from + length) });
}

/** Opens the form for a slot, or moves the open form to it. A slot that starts in unread time is refused. */
export function book(slot: Slot): void {
  if (!bookings.isUnread({ start: slot.start, end: slot.start + 1 })) return enterSlot(slot);
  cancelDrag();
  showToast('This time has not been read.');
}

/** Outlines the form's slot again, instead of the slot that was being dragged. */
export function cancelDrag(): void {
  mark('chosen', undefined);
  showSlot();
}

/** Shows a day, and moves the keyboard's position to the first search result in its row, else to nine o'clock. */
export function openDay(date: string): void {
  const resource = grid.active?.resource ?? '';
  changeView({ date, span: 'day' });
  const hit = grid.cellsOf(resource).find(({ isWanted, isFound }) => isWanted || isFound);
  grid.activate(resource, hit?.start ?? hourOf(span.days[0]!, 9), hit ? 'reveal' : 'focus');
}

/**
 * Opens the form for the first free time that the search asks for, else for the next free hour: today from the next
 * full hour in UTC, on another day from nine o'clock. The resource to which somebody has moved is preferred. If there
 * is no free hour, the form is opened without a resource.
 */
export function bookNext(): void {
  // A week first opens the day at the keyboard's position.
  if (grid.active && span.isWeek) openDay(span.zone.date(grid.active.at));
  const cells = grid.resources.flatMap(grid.cellsOf);
  const preferred = cells.filter(({ resource }) => resource === grid.preferred);
  const wanted = preferred.concat(cells).find((cell) => cell.isWanted);
  if (wanted) return choose(wanted, wanted.start);
  const now = Date.now();
  const first = isWithin(span, now) ? Math.ceil(now / HOUR) * HOUR : hourOf(span.days[0]!, 9);
  const free = firstFree(preferred, first) ?? firstFree(cells, first);
  enterSlot(free ?? { resource: '', start: first, end: first + HOUR });
}

/** The earliest free hour in any of the cells, from an instant on. */
function firstFree(cells: readonly Cell[], from: number): Slot | undefined {
  const slots = cells.flatMap(({ resource, start, end, booked, isUnread }) => {
    const first = Math.max(start, from);
    return booked || isUnread || end - first < HOUR ? [] : [{ resource, start: first, end: first + HOUR }];
  });
  return slots.toSorted((one, other) => one.start - other.start)[0];
}

function enterSlot(slot: Slot): void {
  if (!canBook) return;
  mark('open', undefined);
  if (view.panel !== 'form') changeView({ panel: 'form' });
  openForm(slot);
}

function openBooking(booked: Booked): void {
  if (view.panel !== 'form') return changeView({ panel: { id: booked.booking.booking_id } });
  mark('open', booked);
  const when = whenText(span.zone, booked);
  showToast(`${isolated(booked.label)}, ${when}. Finish or cancel the open form for more.`);
}

/**
 * Focuses the cell at the keyboard's position, which each search moves to the first booking that it finds; in an
 * agenda, the first item that is not over.
 */
function enterBookings(): void {
  const agenda = byId('agenda');
  if (isAgenda()) (agenda.querySelector<HTMLElement>('.item:not(.past)') ?? agenda).focus();
  else if (grid.active) grid.activate(grid.active.resource, grid.active.at, 'reveal');
}

byId('new').addEventListener('click', bookNext);
byId('skip').addEventListener('click', enterBookings);
byId('filter').addEventListener('keydown', (event) => {
  if (event.key !== 'Enter') return;
  // The key would also press what then has the focus.
  event.preventDefault();
  enterBookings();
});
