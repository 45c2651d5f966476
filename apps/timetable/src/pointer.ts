import type { Slot } from './bookings.js';
import { book, canBook, cancelChoice, choose, openDay } from './choices.js';
import { activate, cellFrom, grid, instantAt, mark, marks } from './grid.js';
import { QUARTER } from './time.js';
import { span } from './view.js';

/** Pixels that a press may move and still be a click. */
const CLICK_MOVEMENT = 4;

/**
 * A press, and once it has moved, the slot that it chooses: dragging over a row books a time in quarters of an hour. A
 * moving finger scrolls.
 */
let press: { readonly x: number; readonly at: number; readonly resource: string; slot?: Slot } | undefined;

/** Ends a press. @returns what it has chosen, if it was a drag */
export function endPress(): Slot | undefined {
  const slot = press?.slot;
  press = undefined;
  return slot;
}

function begin(event: PointerEvent): void {
  if (event.button !== 0 || !canBook()) return;
  const start = edgeFrom(event) ?? cellUnder(event);
  press = start && { ...start, x: event.clientX };
}

/** An edge of what is chosen moves while the other one stays, also under a finger. */
function edgeFrom({ target }: PointerEvent): { resource: string; at: number } | undefined {
  const edge = (target as Element).closest('#chosen > *');
  const chosen = marks.get('chosen');
  if (!edge || !chosen) return undefined;
  return { resource: chosen.resource, at: edge.className === 'end' ? chosen.start : chosen.end - 1 };
}

function cellUnder(event: PointerEvent): { resource: string; at: number } | undefined {
  const cell = cellFrom(event);
  if (!cell || cell.day || event.pointerType === 'touch') return undefined;
  return { resource: cell.resource, at: instantAt(event.clientX) };
}

function drag({ clientX, pointerId }: PointerEvent): void {
  if (!press || (!press.slot && Math.abs(clientX - press.x) < CLICK_MOVEMENT)) return;
  // The click that ends a drag goes to the grid itself, and chooses nothing.
  grid.setPointerCapture(pointerId);
  const to = instantAt(clientX);
  const first = Math.floor(Math.min(press.at, to) / QUARTER) * QUARTER;
  const last = Math.ceil(Math.max(press.at, to) / QUARTER) * QUARTER;
  const start = Math.max(span.start, first);
  const end = Math.min(span.end, Math.max(start + QUARTER, last));
  press.slot = { resource: press.resource, start, end };
  mark('chosen', press.slot);
}

function click(event: MouseEvent): void {
  const { date } = (event.target as HTMLElement).closest<HTMLElement>('.day')?.dataset ?? {};
  if (date !== undefined) openDay(date);
  const cell = cellFrom(event);
  if (cell === undefined) return;
  // A screen reader's click has no position.
  const at = event.detail === 0 || cell.day ? cell.start : instantAt(event.clientX);
  activate(cell.resource, Math.max(cell.start, Math.min(at, cell.end - 1)));
  choose(cell, at);
}

grid.addEventListener('pointerdown', begin);
grid.addEventListener('pointermove', drag);
grid.addEventListener('click', click);
addEventListener('pointerup', () => {
  const slot = endPress();
  if (!slot) return;
  activate(slot.resource, slot.start);
  book(slot);
});
addEventListener('pointercancel', () => {
  if (endPress()) cancelChoice();
});
