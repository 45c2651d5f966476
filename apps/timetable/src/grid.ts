import { Axis, drawAxis } from './axis.js';
import { byId, inNextFrame, make, place } from './dom.js';
import { type DrawnCell, cellAt, drawRow, type RowLook } from './row-view.js';
import { type Row, rowsOf } from './rows.js';
import type { Schedule, Slot } from './schedule.js';
import { isWithin, type Span } from './span.js';
import type { View } from './view.js';

/** Rows that are drawn above and below the visible ones. */
const SPARE = 3;

export type Grid = ReturnType<typeof makeGrid>;

/** The rows of resources over a span of time. Only what is near the visible part is in the document. */
export function makeGrid(schedule: Schedule) {
  const element = byId('grid');
  const head = byId('hours');
  const body = byId('rows');
  const nowLine = byId('now');
  const drawn = new Map<string, { row: HTMLElement; index: number; version: number; look: RowLook }>();
  /** The chosen slot, and the one that conflicts with it. */
  const marks = {
    chosen: make('div', { className: 'mark chosen', ariaHidden: 'true' }),
    held: make('div', { className: 'mark held', ariaHidden: 'true' }),
  };
  const marked: { chosen?: Slot | undefined; held?: Slot | undefined } = {};
  let shown: View;
  let look: RowLook;
  let height = 0;

  const grid = {
    element,
    axis: undefined as unknown as Axis,
    rows: [] as Row[],
    /** The keyboard's position: a resource and an instant within a cell. */
    active: undefined as { resource: string; at: number } | undefined,
    draw,
    drawNow,
    scrollToTime,
    mark,
    reveal,
    indexOf,
    instantAt,
    activate,
    /** Number of rows that fit on the screen. */
    page: () => Math.floor(element.clientHeight / height) - 2,
  };

  element.addEventListener('scroll', inNextFrame(paint), { passive: true });
  element.addEventListener('focus', () => {
    const { active } = grid;
    if (active && element.matches(':focus-visible')) activate(active.resource, active.at, true);
  });
  new ResizeObserver(inNextFrame(() => grid.axis && draw(grid.axis.span, shown))).observe(element);

  /** Draws the visible part of a span; rows that are up to date are kept. */
  function draw(span: Span, view: View, now = Date.now()): void {
    shown = view;
    const style = getComputedStyle(element);
    const names = Number.parseFloat(style.getPropertyValue('--names'));
    height = Number.parseFloat(style.getPropertyValue('--row'));
    const axis = new Axis(span, element.clientWidth - names);
    if (grid.axis?.span !== span || grid.axis.hour !== axis.hour || look.names !== names) {
      grid.axis = axis;
      drawAxis(axis, head, byId('lines'));
      byId('corner').textContent = span.zone.name.replaceAll('_', ' ');
      body.style.width = `${names + axis.width}px`;
      look = { axis, names, free: view.free, now, from: 0, to: 0 };
    }
    // What is free from now on changes with the minute.
    const isOtherMinute = Math.floor(look.now / 60_000) !== Math.floor(now / 60_000);
    if (look.free !== view.free || (view.free > 0 && isOtherMinute)) look = { ...look, free: view.free, now };
    grid.rows = rowsOf(schedule, span, view, now);
    body.style.height = `${grid.rows.length * height}px`;
    element.ariaRowCount = String(grid.rows.length + 1);
    drawNow(now);
    paint();
    for (const name of ['chosen', 'held'] as const) mark(name, marked[name]);
  }

  function drawNow(now = Date.now()): void {
    nowLine.hidden = !isWithin(grid.axis.span, now);
    place(nowLine, look.names + grid.axis.x(now));
  }

  /** Scrolls an instant to about a quarter of the width. */
  function scrollToTime(instant: number): void {
    element.scrollLeft = grid.axis.x(instant) - (element.clientWidth - look.names) / 4;
  }

  /** Outlines a slot, or removes the outline. */
  function mark(name: 'chosen' | 'held', slot?: Slot): void {
    const { axis } = grid;
    marked[name] = slot;
    marks[name].remove();
    const index = slot === undefined ? -1 : indexOf(slot.resource);
    if (slot === undefined || index < 0 || slot.start >= axis.span.end || slot.end <= axis.span.start) return;
    const left = axis.x(slot.start);
    place(marks[name], look.names + left, axis.x(slot.end) - left, index * height);
    body.append(marks[name]);
  }

  /** Scrolls the marked slot into view. */
  function reveal(name: 'chosen' | 'held'): void {
    marks[name].scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  function indexOf(resource: string): number {
    return grid.rows.findIndex((row) => row.group === undefined && row.resource === resource);
  }

  /** The instant under a point of the page. */
  function instantAt(clientX: number): number {
    const { left } = element.getBoundingClientRect();
    return grid.axis.instant(clientX - left + element.scrollLeft - look.names);
  }

  /** Moves the keyboard's position to a cell, and with `focus` scrolls to it and focuses it. */
  function activate(resource: string, at: number, focus: boolean): void {
    grid.active = { resource, at };
    if (focus) {
      const top = indexOf(resource) * height;
      const room = element.clientHeight - head.offsetHeight - height;
      element.scrollTop = Math.max(top - room, Math.min(top, element.scrollTop));
      const x = grid.axis.x(at);
      if (x < element.scrollLeft || x > element.scrollLeft + element.clientWidth - look.names - 40) scrollToTime(at);
    }
    paint();
    if (focus) activeCell()?.element.focus({ preventScroll: true });
  }

  /** Draws visible rows that are not drawn yet, and removes the others. */
  function paint(): void {
    const { scrollTop, clientHeight, scrollLeft, clientWidth } = element;
    // In steps of the visible width, so that rows are rarely redrawn.
    const from = (Math.floor(scrollLeft / clientWidth) - 0.5) * clientWidth;
    if (from !== look.from) look = { ...look, from, to: from + 3 * clientWidth };
    const hadFocus = document.activeElement?.matches('.cell');
    grid.active = validActive();
    const seen = new Set<string>();
    const last = Math.min(grid.rows.length, Math.ceil((scrollTop + clientHeight) / height) + SPARE);
    for (let index = Math.max(0, Math.floor(scrollTop / height) - SPARE); index < last; index++) {
      seen.add(drawRowAt(index));
    }
    // The row of the keyboard's position is kept, wherever the grid is scrolled to.
    if (grid.active) seen.add(drawRowAt(indexOf(grid.active.resource)));
    for (const [key, { row }] of drawn) {
      if (seen.has(key)) continue;
      row.remove();
      drawn.delete(key);
    }
    // Tab reaches only one cell.
    for (const other of body.querySelectorAll<HTMLElement>('.cell[tabindex="0"]')) other.tabIndex = -1;
    const cell = activeCell();
    if (cell) cell.element.tabIndex = 0;
    // Where that cell is too far away to be drawn, the grid leads to it; without any, keys scroll the grid.
    element.tabIndex = cell ? -1 : 0;
    if (hadFocus && document.activeElement === document.body) cell?.element.focus({ preventScroll: true });
  }

  function drawRowAt(index: number): string {
    const row = grid.rows[index]!;
    // Names of resources have no control characters.
    const key = row.group === undefined ? row.resource : `\n${row.group}`;
    const version = schedule.version(key);
    let there = drawn.get(key);
    if (there?.version !== version || there.look !== look) {
      const made = drawRow(row, schedule, look);
      if (there === undefined) insert(made, index);
      else there.row.replaceWith(made);
      there = { row: made, index, version, look };
      drawn.set(key, there);
    }
    there.index = index;
    place(there.row, 0, undefined, index * height);
    there.row.ariaRowIndex = String(index + 2);
    return key;
  }

  /** Puts a row before the drawn ones that are below it, so that all of them are in order for a screen reader. */
  function insert(row: HTMLElement, index: number): void {
    const below = [...drawn.values()].filter((other) => other.index > index).toSorted((a, b) => a.index - b.index);
    body.insertBefore(row, below[0]?.row ?? null);
  }

  /** The active cell if it still exists, else the first one. */
  function validActive(): typeof grid.active {
    const { span } = grid.axis;
    const { active, rows } = grid;
    const isThere = active !== undefined && indexOf(active.resource) >= 0;
    if (isThere && isWithin(span, active.at)) return active;
    const first = rows[0]?.group === undefined ? rows[0] : rows[1];
    const now = Date.now();
    const at = isWithin(span, now) ? now : span.start;
    if (isThere) return { resource: active.resource, at };
    return first?.group === undefined && first ? { resource: first.resource, at } : undefined;
  }

  function activeCell(): { element: HTMLElement; cell: DrawnCell } | undefined {
    const { active } = grid;
    for (const candidate of (active && drawn.get(active.resource)?.row.querySelectorAll('.cell')) ?? []) {
      const found = cellAt(candidate);
      if (found && isWithin(found.cell, active!.at)) return found;
    }
    return undefined;
  }

  return grid;
}
