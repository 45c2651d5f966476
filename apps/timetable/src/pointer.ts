import type { Grid } from './grid.js';
import type { DrawnCell } from './cell-view.js';
import type { Slot } from './schedule.js';
import type { Zone } from './zone.js';

const MINUTE = 60_000;
const QUARTER = 15 * MINUTE;
const HOUR = 60 * MINUTE;
/** Pixels that a press may move and still be a click. */
const STILL = 4;

/** What a choice in the grid does. */
export interface Choices {
  /** Shows a booking, or the day for which a cell stands. */
  open(cell: DrawnCell): void;
  /** Whether the page offers to book. */
  canBook(): boolean;
  book(slot: Slot): void;
  /** Changes the slot of the open form. */
  stretch(slot: Slot): void;
  /** Closes what is open beside the grid. */
  close(): void;
}

/** A press that chooses from an instant on; once it has moved, it has a slot. */
interface Press {
  readonly x: number;
  readonly at: number;
  readonly resource: string;
  /** Whether it drags an edge of the chosen slot. */
  readonly isStretching: boolean;
  /** What was chosen before it. */
  readonly before: Slot | undefined;
  slot?: Slot;
}

/** The wanted time of a cell, or else up to an hour of free time, from the half hour of the clock before an instant. */
export function hourAt({ resource, start, end, isExact }: DrawnCell, at: number, zone: Zone): Slot {
  if (isExact) return { resource, start, end };
  const from = Math.max(start, at - (zone.local(at) % (2 * QUARTER)));
  return { resource, start: from, end: Math.min(end, from + HOUR) };
}

/** A stretch between two instants, widened to quarters of an hour, within a span. */
function stretchOf(resource: string, one: number, other: number, span: { start: number; end: number }): Slot {
  const within = (at: number) => Math.min(span.end, Math.max(span.start, at));
  const start = Math.floor(within(Math.min(one, other)) / QUARTER) * QUARTER;
  const end = Math.ceil(within(Math.max(one, other)) / QUARTER) * QUARTER;
  return { resource, start, end: Math.max(end, start + QUARTER) };
}

/**
 * Chooses with mouse, pen and finger: dragging over a row chooses a slot in quarters of an hour; a click or tap opens a
 * booking, or chooses an hour of free time. A moving finger scrolls. The edges of the chosen slot can be dragged.
 */
export function choosePointing(grid: Grid, choices: Choices): void {
  const { element } = grid;
  let press: Press | undefined;

  const end = () => {
    press = undefined;
    element.classList.remove('dragging');
  };
  const drag = (event: PointerEvent, pressed: Press) => {
    if (pressed.slot === undefined && Math.abs(event.clientX - pressed.x) < STILL) return;
    // The click that ends a drag goes to the grid itself, and chooses nothing.
    element.setPointerCapture(event.pointerId);
    element.classList.add('dragging');
    grid.press(false);
    pressed.slot = stretchOf(pressed.resource, pressed.at, grid.instantAt(event.clientX), grid.axis.span);
    grid.mark('chosen', pressed.slot);
    if (pressed.isStretching) choices.stretch(pressed.slot);
  };
  const cancel = () => {
    if (press?.slot === undefined) return;
    const { before, isStretching } = press;
    end();
    if (isStretching && before) choices.stretch(before);
    grid.mark('chosen', before);
  };
  const offer = (event: PointerEvent) => {
    const cell = grid.cellFrom(event);
    const isFree = cell !== undefined && !cell.booked && !cell.isUnread && !cell.crowd;
    grid.mark('offer', isFree && choices.canBook() ? hourOf(cell, grid.instantAt(event.clientX)) : undefined);
  };
  const hourOf = (cell: DrawnCell, at: number) => hourAt(cell, at, grid.axis.span.zone);

  element.addEventListener('pointerdown', (event) => {
    const { target, button, clientX } = event;
    if (!(target instanceof HTMLElement)) return;
    if (target.closest('.row')) grid.press(true);
    const { edge } = target.dataset;
    const chosen = grid.marked('chosen');
    const cell = grid.cellFrom(event);
    const begin = (resource: string, at: number, isStretching: boolean) => {
      press = { x: clientX, at, resource, isStretching, before: chosen };
      grid.mark('offer');
    };
    if (button !== 0 || !choices.canBook()) return;
    if (edge !== undefined && chosen) {
      event.preventDefault();
      begin(chosen.resource, edge === 'start' ? chosen.end : chosen.start, true);
    } else if (cell && event.pointerType !== 'touch') {
      begin(cell.resource, grid.instantAt(clientX), false);
    }
  });
  element.addEventListener('pointermove', (event) => {
    if (press) drag(event, press);
    else if (event.pointerType === 'mouse') offer(event);
  });
  element.addEventListener('pointerleave', () => grid.mark('offer'));
  element.addEventListener('pointerup', () => {
    const { slot, isStretching } = press ?? {};
    if (slot === undefined || isStretching) return;
    // The press has focused the whole free cell, whose start may be far away.
    grid.activate(slot.resource, slot.start, false);
    setTimeout(() => choices.book(slot));
  });
  element.addEventListener('pointercancel', cancel);
  const release = () => {
    setTimeout(() => {
      end();
      grid.press(false);
    });
  };
  for (const type of ['pointerup', 'pointercancel']) addEventListener(type, release, { capture: true });
  const escape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || press?.slot === undefined) return;
    event.stopPropagation();
    cancel();
  };
  addEventListener('keydown', escape, { capture: true });
  element.addEventListener('click', (event) => {
    const { detail, clientX } = event;
    const cell = grid.cellFrom(event);
    // What follows is drawn at once.
    grid.press(false);
    if (cell === undefined) return;
    // A screen reader's click has no position.
    const at = detail === 0 ? cell.start : grid.instantAt(clientX);
    grid.activate(cell.resource, Math.max(cell.start, Math.min(at, cell.end - 1)), false);
    if (cell.booked || cell.crowd) choices.open(cell);
    else choices.book(hourOf(cell, at));
  });
}
