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
  let press: { x: number; at: number; resource: string; before?: Slot | undefined; slot?: Slot } | undefined;
  let isStretching = false;
  let listening = new AbortController();

  const end = () => {
    listening.abort();
    press = undefined;
    isStretching = false;
  };
  const move = (event: PointerEvent) => {
    if (press === undefined || (press.slot === undefined && Math.abs(event.clientX - press.x) < STILL)) return;
    grid.press(false);
    press.slot = stretchOf(press.resource, press.at, grid.instantAt(event.clientX), grid.axis.span);
    grid.mark('chosen', press.slot);
    if (isStretching) choices.stretch(press.slot);
  };
  const up = () => {
    const slot = press?.slot;
    const wasStretching = isStretching;
    end();
    if (slot === undefined) return;
    suppressClick();
    if (!wasStretching) setTimeout(() => choices.book(slot));
  };
  const cancel = () => {
    const before = press?.before;
    if (isStretching && before) choices.stretch(before);
    end();
    grid.mark('chosen', before);
  };
  const escape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || press?.slot === undefined) return;
    event.stopPropagation();
    cancel();
    suppressClick();
  };
  const begin = (event: PointerEvent, resource: string, at: number) => {
    press = { x: event.clientX, at, resource, before: grid.marked('chosen') };
    grid.mark('offer');
    listening.abort();
    listening = new AbortController();
    const { signal } = listening;
    addEventListener('pointermove', move, { signal });
    addEventListener('pointerup', up, { signal });
    addEventListener('pointercancel', cancel, { signal });
    addEventListener('keydown', escape, { signal, capture: true });
  };

  const release = () => setTimeout(() => grid.press(false));
  for (const type of ['pointerup', 'pointercancel']) addEventListener(type, release, { capture: true });
  grid.element.addEventListener('pointerdown', (event) => {
    if (event.target instanceof Element && event.target.closest('.row')) grid.press(true);
    const chosen = grid.marked('chosen');
    const edge = event.target instanceof HTMLElement ? event.target.dataset['edge'] : undefined;
    if (edge !== undefined && chosen && event.button === 0) {
      event.preventDefault();
      isStretching = true;
      begin(event, chosen.resource, edge === 'start' ? chosen.end : chosen.start);
      return;
    }
    const cell = grid.cellFrom(event);
    if (cell === undefined || event.button !== 0 || event.pointerType === 'touch' || !choices.canBook()) return;
    begin(event, cell.resource, grid.instantAt(event.clientX));
  });
  grid.element.addEventListener('pointermove', (event) => {
    if (press !== undefined || event.pointerType !== 'mouse') return;
    const cell = grid.cellFrom(event);
    const at = grid.instantAt(event.clientX);
    const isFree = cell !== undefined && !cell.booked && !cell.isUnread && !cell.crowd;
    grid.mark('offer', isFree && choices.canBook() ? hourOf(cell, at) : undefined);
  });
  grid.element.addEventListener('pointerleave', () => grid.mark('offer'));
  grid.element.addEventListener('click', (event) => {
    if (!(event.target instanceof Element)) return;
    const cell = grid.cellFrom(event);
    // A screen reader's click has no position.
    const at = event.detail === 0 ? (cell?.start ?? 0) : grid.instantAt(event.clientX);
    // What follows is drawn at once.
    grid.press(false);
    const { group } = event.target.closest<HTMLElement>('[data-group]')?.dataset ?? {};
    if (group !== undefined) grid.toggleGroup(group);
    else if (cell) choose(cell, at);
  });

  const hourOf = (cell: DrawnCell, at: number) => hourAt(cell, at, grid.axis.span.zone);
  const choose = (cell: DrawnCell, at: number) => {
    grid.activate(cell.resource, Math.max(cell.start, Math.min(at, cell.end - 1)), false);
    if (cell.booked || cell.crowd) choices.open(cell);
    else choices.book(hourOf(cell, at));
  };
}

/** Suppresses the click that ends a press. */
function suppressClick(): void {
  const next = new AbortController();
  const { signal } = next;
  addEventListener('click', (event) => event.stopPropagation(), { capture: true, once: true, signal });
  addEventListener('pointerdown', () => next.abort(), { capture: true, signal });
}
