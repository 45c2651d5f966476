import type { Booked, Slot } from './bookings.js';
import type { Grid } from './grid.js';
import { type Cell, cellAt } from './rows.js';
import { isWithin } from './time.js';

const QUARTER = 15 * 60_000;
/** Pixels that a press may move and still be a click. */
const CLICK_MOVEMENT = 4;

export interface Choices {
  open(booked: Booked): void;
  openDay(date: string): void;
  canBook(): boolean;
  book(slot: Slot): void;
  close(): void;
}

/** Opens what a cell shows, or books its free time: from the half hour of the clock before `at` if there is more. */
function choose(grid: Grid, choices: Choices, cell: Cell, at: number): void {
  const { resource, start, end, length, booked, day } = cell;
  if (day) return choices.openDay(grid.span.zone.date(start));
  if (booked) return choices.open(booked);
  const { zone } = grid.span;
  const half = Math.floor(zone.local(at) / (2 * QUARTER)) * 2 * QUARTER - zone.offset(at);
  const from = end - start > length ? Math.max(start, half) : start;
  choices.book({ resource, start: from, end: Math.min(end, from + length) });
}

/** The time between two instants of a day, widened to quarters of an hour. */
function stretchOf({ span }: Grid, resource: string, one: number, other: number): Slot {
  const within = (at: number) => Math.min(span.end, Math.max(span.start, at));
  const start = Math.floor(within(Math.min(one, other)) / QUARTER) * QUARTER;
  const end = Math.ceil(within(Math.max(one, other)) / QUARTER) * QUARTER;
  return { resource, start, end: Math.max(end, start + QUARTER) };
}

/**
 * Chooses with mouse, pen and finger: dragging over a row chooses a time in quarters of an hour; a click or tap opens
 * what is there, or chooses free time. A moving finger scrolls.
 */
export function chooseByPointer(grid: Grid, choices: Choices): void {
  const { element } = grid;
  /** What was pressed, what was chosen before, and once the press has moved, what it chooses. */
  let press: { x: number; at: number; resource: string; before: Slot | undefined; slot?: Slot } | undefined;

  const release = () => {
    press = undefined;
    element.classList.remove('dragging');
  };
  const cancel = () => {
    if (press?.slot) grid.mark('chosen', press.before);
    release();
  };
  element.addEventListener('pointerdown', (event) => {
    const cell = grid.cellFrom(event);
    if (cell === undefined || event.button !== 0 || event.pointerType === 'touch' || cell.day || !choices.canBook())
      return;
    const { clientX: x } = event;
    press = { x, at: grid.instantAt(x), resource: cell.resource, before: grid.marks.get('chosen') };
  });
  element.addEventListener('pointermove', ({ clientX, pointerId }) => {
    if (press === undefined || (!press.slot && Math.abs(clientX - press.x) < CLICK_MOVEMENT)) return;
    // The click that ends a drag goes to the grid itself, and chooses nothing.
    element.setPointerCapture(pointerId);
    element.classList.add('dragging');
    press.slot = stretchOf(grid, press.resource, press.at, grid.instantAt(clientX));
    grid.mark('chosen', press.slot);
  });
  element.addEventListener('pointerup', () => {
    const slot = press?.slot;
    if (slot === undefined) return;
    // The press has focused the whole free cell, whose start may be far away.
    release();
    grid.activate(slot.resource, slot.start);
    setTimeout(() => choices.book(slot));
  });
  addEventListener('pointercancel', cancel);
  // After the click that follows a release.
  addEventListener('pointerup', () => setTimeout(release), { capture: true });
  const escape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || press?.slot === undefined) return;
    event.stopPropagation();
    cancel();
  };
  addEventListener('keydown', escape, { capture: true });
  element.addEventListener('click', (event) => {
    const { date } = (event.target as HTMLElement).closest<HTMLElement>('.day')?.dataset ?? {};
    if (date !== undefined) choices.openDay(date);
    const cell = grid.cellFrom(event);
    if (cell === undefined) return;
    // A screen reader's click has no position.
    const at = event.detail === 0 || cell.day ? cell.start : grid.instantAt(event.clientX);
    grid.activate(cell.resource, Math.max(cell.start, Math.min(at, cell.end - 1)));
    choose(grid, choices, cell, at);
  });
}

/**
 * Moves over the grid, which has one tab stop, by the keys of a grid (ARIA Authoring Practices, "Grid Pattern"): over
 * the cells of a day, or the days of a week. Enter opens or books.
 */
export function chooseByKeys(grid: Grid, choices: Choices): void {
  // A screen reader may focus any cell.
  grid.element.addEventListener('focusin', (event) => {
    const cell = grid.cellFrom(event);
    // A press waits for its click, which a redraw of the row would prevent.
    const isPress = !(event.target as Element).matches(':focus-visible');
    if (cell === undefined || grid.active === undefined || isPress) return;
    const { resource, at } = grid.active;
    if (cell.resource !== resource || !isWithin(cell, at))
      grid.activate(cell.resource, Math.max(cell.start, grid.span.start));
  });
  grid.element.addEventListener('keydown', (event) => {
    const { key, ctrlKey, altKey, metaKey, target } = event;
    if (grid.active === undefined || altKey || metaKey || (target as Element).closest('button')) return;
    const { resource, at } = grid.active;
    const { resources, span } = grid;
    const cells = grid.cellsOf(resource);
    const cell = cellAt(cells, at);
    const sideways = (by: -1 | 1) => {
      const next = cells[cells.indexOf(cell!) + by];
      if (next) grid.activate(resource, Math.max(next.start, span.start), 'reveal');
    };
    const upDown = (by: number, instant = at) => {
      const index = Math.max(0, Math.min(resources.length - 1, resources.indexOf(resource) + by));
      grid.activate(resources[index]!, instant, 'reveal');
    };
    const act = () => cell && choose(grid, choices, cell, at);
    const keys: Record<string, () => void> = {
      ArrowLeft: () => sideways(-1),
      ArrowRight: () => sideways(1),
      ArrowUp: () => upDown(-1),
      ArrowDown: () => upDown(1),
      PageUp: () => upDown(-10),
      PageDown: () => upDown(10),
      Home: () => upDown(ctrlKey ? -Infinity : 0, span.start),
      End: () => upDown(ctrlKey ? Infinity : 0, span.end - 1),
      Enter: act,
      ' ': act,
      Escape: () => choices.close(),
    };
    if (!(key in keys)) return;
    event.preventDefault();
    event.stopPropagation();
    keys[key]!();
  });
}
