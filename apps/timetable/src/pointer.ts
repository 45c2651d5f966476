import type { Grid } from './grid.js';
import { cellAt, type DrawnCell } from './row-view.js';
import type { Slot } from './schedule.js';
import type { Zone } from './zone.js';

const MINUTE = 60_000;
const QUARTER = 15 * MINUTE;
const HOUR = 60 * MINUTE;
/** Pixels that a press may move and still be a click. */
const STILL = 4;

/** What a choice in the grid does. */
export interface Choices {
  open(cell: DrawnCell): void;
  book(slot: Slot): void;
}

/** Up to an hour of free time, from the half hour before an instant on the clock of a zone. */
export function hourAt({ resource, start, end }: DrawnCell, at: number, zone: Zone): Slot {
  const from = Math.max(start, at - (zone.local(at) % (2 * QUARTER)));
  return { resource, start: from, end: Math.min(end, from + HOUR) };
}

/**
 * Chooses with mouse, pen and finger: dragging over a row chooses a slot in quarters of an hour; a click or tap opens a
 * booking, or chooses an hour of free time. A moving finger scrolls.
 */
export function choosePointing(grid: Grid, choices: Choices): void {
  let press: { x: number; at: number; resource: string; slot?: Slot } | undefined;
  let listening = new AbortController();

  const end = () => {
    listening.abort();
    press = undefined;
  };
  const move = (event: PointerEvent) => {
    if (press === undefined || (press.slot === undefined && Math.abs(event.clientX - press.x) < STILL)) return;
    const { start, end } = grid.axis.span;
    const to = Math.min(end, Math.max(start, grid.instantAt(event.clientX)));
    const from = Math.floor(Math.min(press.at, to) / QUARTER) * QUARTER;
    const until = Math.ceil(Math.max(press.at, to) / QUARTER) * QUARTER;
    press.slot = { resource: press.resource, start: from, end: Math.max(until, from + QUARTER) };
    grid.mark('chosen', press.slot);
  };
  const up = () => {
    const slot = press?.slot;
    end();
    if (slot === undefined) return;
    suppressClick();
    setTimeout(() => choices.book(slot));
  };
  const cancel = () => {
    end();
    grid.mark('chosen');
  };
  const escape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    cancel();
    suppressClick();
  };

  grid.element.addEventListener('pointerdown', (event) => {
    const found = cellAt(event.target);
    if (found === undefined || event.button !== 0 || event.pointerType === 'touch') return;
    press = { x: event.clientX, at: grid.instantAt(event.clientX), resource: found.cell.resource };
    listening.abort();
    listening = new AbortController();
    const { signal } = listening;
    addEventListener('pointermove', move, { signal });
    addEventListener('pointerup', up, { signal });
    addEventListener('pointercancel', cancel, { signal });
    addEventListener('keydown', escape, { signal, capture: true });
  });
  grid.element.addEventListener('click', (event) => {
    const found = cellAt(event.target);
    if (found === undefined) return;
    const { cell } = found;
    // A screen reader's click has no position.
    const at = event.detail === 0 ? cell.start : grid.instantAt(event.clientX);
    grid.activate(cell.resource, Math.max(cell.start, Math.min(at, cell.end - 1)), false);
    if (cell.booked) choices.open(cell);
    else choices.book(hourAt(cell, at, grid.axis.span.zone));
  });
}

/** Suppresses the click that ends a press. */
function suppressClick(): void {
  const next = new AbortController();
  const { signal } = next;
  addEventListener('click', (event) => event.stopPropagation(), { capture: true, once: true, signal });
  addEventListener('pointerdown', () => next.abort(), { capture: true, signal });
}
