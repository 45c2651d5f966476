/**
 * The grid's rows, and the keyboard's position in them. On a screen, only the rows near the grid's visible part and the
 * row at the keyboard's position have cells.
 */

import type { View } from './address.js';
import { type Booked, bookings } from './bookings.js';
import { byId, isSame, make } from './dom.js';
import { drawHead, drawNow, drawRow } from './drawing.js';
import { nearbyIn } from './nearby.js';
import { type Cell, cellsIn, type Row, rowsOf } from './rows.js';
import { hourOf, isWithin, MINUTE, QUARTER, type Span } from './time.js';
import { isAgenda, span, view } from './view.js';

/**
 * A row of a day with this many bookings or more draws free time only where it is searched for, unless the row has the
 * keyboard's position.
 */
const FULL_ROW = 10;

/** A resource, and an instant in one of its cells. */
interface Position {
  readonly resource: string;
  readonly at: number;
}

/** A row in the document. */
interface DrawnRow {
  readonly element: HTMLElement;
  row: Row;
  /** What the row's cells show; undefined while the row has no cells. */
  drawn?: Drawn | undefined;
}

/** Everything on which the look of a row's cells depends. */
interface Drawn {
  readonly tint: number;
  readonly count: number | undefined;
  readonly booked: readonly Booked[];
  readonly look: Look;
  readonly isWhole: boolean;
}

/** Everything on which the look of all cells depends, apart from their bookings. */
interface Look extends Pick<View, 'filter' | 'free' | 'at'> {
  readonly span: Span;
  readonly clock: number;
  readonly knownTo: number;
}

export const grid = byId('grid');
/** The resources that have a row, from top to bottom. */
export let resources: readonly string[] = [];
/** The rows of the view, with the headings of groups. */
export let rows: readonly Row[] = [];
/** The keyboard's position; undefined if there is no row. */
export let active: Position | undefined;
/** The cell at the keyboard's position: the grid's only tab stop. */
let tabStop: HTMLElement | undefined;
let drawnSpan: Span | undefined;
let look: Look;
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
  const instant = cell ? Number(cell.dataset['at']) : instantAt(clientX);
  return cellsOf(row?.dataset['key'] ?? '').find((each) => isWithin(each, instant));
}

/** Moves the keyboard's position. @param how `focus` focuses it, `show` scrolls to it, `reveal` does both */
export function activate(resource: string, at: number, how?: 'focus' | 'show' | 'reveal'): void {
  active = { resource, at };
  drawCells();
  if (how === 'focus' || how === 'reveal') tabStop?.focus({ preventScroll: true });
  if (how === 'show' || how === 'reveal') tabStop?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
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
    if (span.days.length > 1) element.style.setProperty('--lines', String(mostInADay(row.key)));
    if (previous.nextSibling !== element) previous.after(element);
    previous = element;
  }
}

function mostInADay(resource: string): number {
  return Math.max(...span.days.map((day) => bookings.booked(resource, day).length));
}

function newRow(row: Row): DrawnRow {
  const element = make('div', { className: row.count === undefined ? 'row' : 'row group' });
  element.dataset['key'] = row.key;
  nearby.observe(element);
  return { element, row };
}

/** Draws the cells of the rows near the visible part and at the keyboard's position; in print, of all rows. */
function drawCells(): void {
  const hadFocus = grid.contains(document.activeElement);
  look = currentLook();
  active = positionInSight();
  for (const drawnRow of drawnRows.values()) {
    const { element, row } = drawnRow;
    const isNear = nearby.has(element) || row.key === active?.resource;
    if (isNear) fill(drawnRow);
    else if (drawnRow.drawn) empty(drawnRow);
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

function elementAt({ resource, at }: Position): HTMLElement | undefined {
  const cell = cellsOf(resource).find((each) => isWithin(each, at));
  return rowElement(resource)?.querySelector<HTMLElement>(`[data-at="${cell?.start}"]`) ?? undefined;
}

/** Draws the cells of a row, unless it shows them already. */
function fill(drawnRow: DrawnRow): void {
  const { row, drawn, element } = drawnRow;
  const booked = bookings.ofResource(row.key);
  const isWhole = span.days.length > 1 || booked.length < FULL_ROW || row.key === active?.resource;
  const { tint, count } = row;
  const now: Drawn = { booked, look, tint, count, isWhole };
  if (drawn && isSame(drawn, now)) return;
  drawnRow.drawn = now;
  const cells = cellsOf(row.key);
  const shown = isWhole ? cells : cells.filter((cell) => cell.booked || cell.isUnread || cell.isWanted);
  element.ariaRowIndex = String(rows.indexOf(row) + 2);
  drawRow(element, row, shown, span, view);
}

/** The look of all rows: another object whenever it has changed. */
function currentLook(): Look {
  const { filter, free, at } = view;
  // The past is redrawn every quarter of an hour, the free time of a search every minute.
  const clock = Math.floor(Date.now() / (free === '' ? QUARTER : MINUTE));
  const now: Look = { span, filter, free, at, clock, knownTo: bookings.knownTo(span) };
  return look && isSame(look, now) ? look : now;
}

function empty(drawnRow: DrawnRow): void {
  drawnRow.drawn = undefined;
  drawnRow.element.replaceChildren();
  // The role `row` requires cells (ARIA, "Required Owned Elements").
  drawnRow.element.role = drawnRow.element.ariaRowIndex = null;
}

const nearby = nearbyIn(grid, drawCells);
