/**
 * The grid's rows, and the keyboard's position in them. On a screen, only the rows near the grid's visible part and the
 * row at the keyboard's position have cells.
 */

import { bookings } from './bookings.js';
import { byId } from './dom.js';
import { drawHead, drawNow } from './drawing.js';
import { DrawnRow } from './drawn-row.js';
import { nearbyIn } from './nearby.js';
import { type Cell, cellsIn, type Row, rowsOf } from './rows.js';
import { hourOf, isWithin, type Span } from './time.js';
import { isAgenda, span, view } from './view.js';

/** A resource, and an instant in one of its cells. */
export interface Position {
  readonly resource: string;
  readonly at: number;
}

export const grid = byId('grid');
/** The resources that have a row, from top to bottom. */
export let resources: readonly string[] = [];
/** The rows of the view, with the headings of groups. */
export let rows: readonly Row[] = [];
/** The keyboard's position; undefined if there is no row. */
export let active: Position | undefined;
/** The resource to which somebody, or a search, has moved the position. */
export let preferred = '';
/** The cell at the keyboard's position: the grid's only tab stop. */
let tabStop: HTMLElement | undefined;
let drawnSpan: Span | undefined;
let drawnRows = new Map<string, DrawnRow>();

/** Draws the view from the known bookings. In an agenda, the rows are known but not drawn. */
export function drawGrid(): void {
  if (drawnSpan !== span) drawHead(span);
  drawnSpan = span;
  grid.hidden = isAgenda();
  rows = rowsOf(bookings, span, view);
  replaceRows(grid.hidden ? [] : rows);
  resources = rows.filter(({ count }) => count === undefined).map(({ key }) => key);
  grid.style.setProperty('--count', String(resources.length));
  grid.style.setProperty('--groups', String(rows.length - resources.length));
  grid.ariaRowCount = String(rows.length + 1);
  drawNow(span);
  drawCells();
}

/** The cells of a resource; none if the resource has no row. */
export function cellsOf(resource: string): Cell[] {
  return resources.includes(resource) ? cellsIn(bookings, resource, span, view) : [];
}

/** The cell of a resource at an instant. */
export function cellAt({ resource, at }: Position): Cell | undefined {
  return cellsOf(resource).find((cell) => isWithin(cell, at));
}

export function rowElement(resource: string): HTMLElement | undefined {
  return drawnRows.get(resource)?.element;
}

/** The instant at a horizontal position, in pixels from the left of the viewport. */
export function instantAt(clientX: number): number {
  const { left, width } = byId('hours').getBoundingClientRect();
  return span.start + ((clientX - left) / width) * (span.end - span.start);
}

/** The cell in which an event happened, found by the pointer's position if the cell has no element. */
export function cellFrom({ target, clientX = 0 }: { target: EventTarget | null; clientX?: number }): Cell | undefined {
  const row = (target as Element).closest('.cells')?.parentElement;
  const cell = (target as Element).closest<HTMLElement>('.cell');
  const at = cell ? Number(cell.dataset['at']) : instantAt(clientX);
  return cellAt({ resource: row?.dataset['key'] ?? '', at });
}

/** Moves the keyboard's position. @param how `focus` focuses it, `show` scrolls to it, `reveal` does both */
export function activate(resource: string, at: number, how?: 'focus' | 'show' | 'reveal'): void {
  active = { resource, at };
  preferred = resource;
  drawCells();
  if (how === 'focus' || how === 'reveal') tabStop?.focus({ preventScroll: true });
  if (how === 'show' || how === 'reveal') tabStop?.scrollIntoView({ block: 'nearest' });
}

/** Scrolls an instant to the left edge. */
export function scrollTo(at: number): void {
  const { start, end } = span;
  grid.scrollLeft = ((at - start) / (end - start)) * byId('hours').clientWidth;
}

/** Replaces the rows, and keeps the elements of rows that stay. */
function replaceRows(rows: readonly Row[]): void {
  const old = drawnRows;
  drawnRows = new Map(rows.map((row) => [row.key, Object.assign(old.get(row.key) ?? newRow(row), { row })]));
  for (const [key, { element }] of old) if (!drawnRows.has(key)) element.remove();
  let previous = byId('lines');
  for (const { element, row } of drawnRows.values()) {
    if (span.isWeek) element.style.setProperty('--lines', String(mostInADay(row.key)));
    if (previous.nextSibling !== element) previous.after(element);
    previous = element;
  }
}

function mostInADay(resource: string): number {
  return Math.max(...span.days.map((day) => bookings.booked(resource, day).length));
}

function newRow(row: Row): DrawnRow {
  const drawnRow = new DrawnRow(row);
  nearby.observe(drawnRow.element);
  return drawnRow;
}

/** Draws the cells of the rows near the visible part and at the keyboard's position; in print, of all rows. */
function drawCells(): void {
  const hadFocus = grid.contains(document.activeElement);
  active = positionInSight();
  for (const [index, drawnRow] of [...drawnRows.values()].entries()) {
    const isActive = drawnRow.row.key === active?.resource;
    if (isActive || nearby.has(drawnRow.element)) drawnRow.fill(index, isActive);
    else drawnRow.empty();
  }
  moveTabStop();
  if (hadFocus && !grid.contains(document.activeElement)) tabStop?.focus({ preventScroll: true });
}

/**
 * The keyboard's position. If its row is gone, it moves to the first row; if its time is out of view, to the current
 * time or, if that is out of view too, to nine o'clock on the first day.
 */
function positionInSight(): Position | undefined {
  const resource = active && resources.includes(active.resource) ? active.resource : resources[0];
  if (resource === undefined) return undefined;
  const at = [active?.at ?? NaN, Date.now()].find((each) => isWithin(span, each));
  return { resource, at: at ?? hourOf(span.days[0]!, 9) };
}

function moveTabStop(): void {
  if (tabStop) tabStop.tabIndex = -1;
  tabStop = active && elementAt(active);
  if (tabStop) tabStop.tabIndex = 0;
  // If there is no cell to focus, the grid itself takes the focus, so that keys can scroll it.
  grid.tabIndex = tabStop ? -1 : 0;
}

function elementAt(position: Position): HTMLElement | undefined {
  const at = cellAt(position)?.start;
  return rowElement(position.resource)?.querySelector<HTMLElement>(`[data-at="${at}"]`) ?? undefined;
}

const nearby = nearbyIn(grid, drawCells);
// A container of its own size would style each new cell twice.
new ResizeObserver(() => grid.style.setProperty('--height', `${grid.clientHeight}px`)).observe(grid);
