import { type Booked, bookings, type Slot } from './bookings.js';
import { drawHead, drawMark, drawNow, drawRow } from './cells.js';
import { byId, make } from './dom.js';
import { type Cell, cellsIn, type Row, rowsOf } from './rows.js';
import { hourOf, isWithin, MINUTE, overlap, QUARTER, type Span } from './time.js';
import { span, view } from './view.js';

/** Bookings of a day from which on the free time of a row has elements only at the keyboard's position. */
const FULL_ROW = 10;

/** `chosen` is what is being booked, `open` what is pointed out: a booking that is looked at, or one in the way. */
const MARKS = ['chosen', 'open'] as const;
type MarkName = (typeof MARKS)[number];

/** A row in the document; it has children while it is near the visible part, as `data-near` says. */
interface DrawnRow {
  readonly element: HTMLElement;
  row: Row;
  /** The bookings that are drawn, and the state of the view that the row depends on; undefined if it is empty. */
  drawn?: { readonly booked: readonly Booked[]; readonly state: string } | undefined;
}

export const grid = byId('grid');
export let resources: readonly string[] = [];
/** The keyboard's position: a resource, and an instant within a cell of it. */
export let active: { readonly resource: string; readonly at: number } | undefined;
export const marks = new Map<MarkName, Slot>();
/** The cell at the keyboard's position, where Tab stops. */
let stop: HTMLElement | undefined;
let drawnSpan: Span | undefined;
let drawnRows = new Map<string, DrawnRow>();

const print = matchMedia('print');
print.addEventListener('change', paint);
const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) target.toggleAttribute('data-near', isIntersecting);
    paint();
  },
  { root: grid, rootMargin: '200px' },
);
// Marks stay in sight when a panel takes room.
new ResizeObserver(() => marks.forEach((_slot, name) => reveal(name))).observe(grid);

/** Draws the view of the page. */
export function drawGrid(): void {
  if (drawnSpan !== span) drawHead(span);
  drawnSpan = span;
  const rows = rowsOf(bookings, span, view);
  replaceRows(rows);
  resources = rows.filter(({ count }) => count === undefined).map(({ key }) => key);
  grid.style.setProperty('--count', String(resources.length));
  grid.style.setProperty('--groups', String(rows.length - resources.length));
  drawNow(span);
  drawMarks();
  paint();
}

export function cellsOf(resource: string): Cell[] {
  return resources.includes(resource) ? cellsIn(bookings, resource, span, view) : [];
}

/** Moves the keyboard's position, focuses it, perhaps without scrolling to it, or shows it without a focus. */
export function activate(resource: string, at: number, how?: 'focus' | 'reveal' | 'show'): void {
  active = { resource, at };
  paint();
  if (how === 'focus' || how === 'reveal') stop?.focus({ preventScroll: true });
  if (how === 'show' || how === 'reveal') stop?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

export function instantAt(clientX: number): number {
  const { left, width } = byId('hours').getBoundingClientRect();
  return span.start + ((clientX - left) / width) * (span.end - span.start);
}

export function cellFrom({ target, clientX = 0 }: { target: EventTarget | null; clientX?: number }): Cell | undefined {
  const row = (target as Element).closest('.cells')?.parentElement;
  const cell = (target as Element).closest<HTMLElement>('.cell');
  const instant = cell ? Number(cell.dataset['at']) : instantAt(clientX);
  return cellsOf(row?.dataset['key'] ?? '').find((one) => isWithin(one, instant));
}

export function mark(name: MarkName, slot?: Slot): void {
  if (slot) marks.set(name, slot);
  else marks.delete(name);
  drawMarks();
}

export function reveal(name: MarkName): void {
  byId(name).scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

export function scrollTo(at: number): void {
  const { start, end } = span;
  grid.scrollLeft = ((at - start) / (end - start)) * byId('hours').clientWidth;
}

/** Keeps the elements of rows that stay, in the order of the new ones. */
function replaceRows(rows: readonly Row[]): void {
  const old = drawnRows;
  drawnRows = new Map(rows.map((row) => [row.key, Object.assign(old.get(row.key) ?? newRow(row), { row })]));
  for (const [key, { element }] of old) if (!drawnRows.has(key)) element.remove();
  let previous = byId('lines');
  for (const { element } of drawnRows.values()) {
    if (previous.nextSibling !== element) previous.after(element);
    previous = element;
  }
}

function newRow(row: Row): DrawnRow {
  const element = make('div', { className: row.count === undefined ? 'row' : 'row group' });
  element.dataset['key'] = row.key;
  observer.observe(element);
  return { element, row };
}

function drawMarks(): void {
  for (const name of MARKS) {
    const slot = marks.get(name);
    const isShown = slot && span.days.length === 1 && overlap(slot, span);
    const row = isShown && drawnRows.get(slot.resource)?.element;
    byId(name).hidden = !row;
    if (row) drawMark(byId(name), slot, span, row.offsetTop, bookings.booked(slot.resource, slot).length > 0);
  }
}

/** Draws the rows near the visible part and that of the keyboard's position; in print, all of them. */
function paint(): void {
  const hadFocus = grid.contains(document.activeElement);
  active = realPosition();
  for (const own of drawnRows.values()) {
    const isNear = print.matches || own.element.matches('[data-near]') || own.row.key === active?.resource;
    if (isNear) fill(own);
    else if (own.drawn) empty(own);
  }
  moveStop();
  if (hadFocus && !grid.contains(document.activeElement)) stop?.focus({ preventScroll: true });
}

/** The keyboard's position, in a row and in the time that are shown. */
function realPosition(): typeof active {
  const resource = active && drawnRows.has(active.resource) ? active.resource : resources[0];
  if (resource === undefined) return undefined;
  const wanted = [active?.at ?? NaN, Date.now()];
  return { resource, at: wanted.find((one) => isWithin(span, one)) ?? hourOf(span.days[0]!, 9) };
}

function moveStop(): void {
  if (stop) stop.tabIndex = -1;
  stop = undefined;
  if (active) {
    const { resource, at } = active;
    const cell = cellsOf(resource).find((one) => isWithin(one, at));
    stop = drawnRows.get(resource)?.element.querySelector<HTMLElement>(`[data-at="${cell?.start}"]`) ?? undefined;
  }
  if (stop) stop.tabIndex = 0;
  // Keys scroll the grid itself if there is no cell to focus.
  grid.tabIndex = stop ? -1 : 0;
}

function fill(own: DrawnRow): void {
  const { row, drawn, element } = own;
  const booked = bookings.of(row.key);
  const isWhole = span.days.length > 1 || booked.length < FULL_ROW || row.key === active?.resource;
  // The clock moves what is free for a search by the minute, and what is past by the quarter of an hour.
  const clock = Math.floor(Date.now() / (view.free === '' ? QUARTER : MINUTE));
  const known = [row.tint, row.count, isWhole, clock, span.start, span.zone.name, bookings.knownTo(span)];
  const state = [...known, ...Object.values(view)].join('|');
  if (drawn?.booked === booked && drawn.state === state) return;
  own.drawn = { booked, state };
  const cells = cellsOf(row.key);
  const shown = isWhole ? cells : cells.filter((cell) => cell.booked || cell.isUnread || cell.isWanted);
  drawRow(element, row, shown, span, view);
}

function empty(own: DrawnRow): void {
  own.drawn = undefined;
  own.element.replaceChildren();
  // A row has cells (ARIA, "Required Owned Elements").
  own.element.role = null;
}
