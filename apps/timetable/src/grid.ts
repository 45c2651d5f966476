import { Axis, LEAST_FOR_FINGERS, openTimes } from './axis.js';
import { drawAxis, drawNow } from './axis-view.js';
import { byId, inNextFrame } from './dom.js';
import { ALL_HOURS, type Hours, workingHours } from './hours.js';
import { type MarkName, Marks } from './marks.js';
import { type DrawnCell, cellAt, drawnCellOf, type RowLook } from './cell-view.js';
import { cellsOf, NONE, type Row, rowsOf, type Wanted, wantedOf, wordsOf } from './rows.js';
import type { Schedule, Slot } from './schedule.js';
import { Sight } from './sight.js';
import { durationText, isWithin, shortTimes, type Span } from './span.js';
import type { View } from './view.js';
import { VirtualRows } from './virtual-rows.js';

/** Width in pixels of a sheet of A4 or Letter on its side, which has all rows and the whole span. */
const SHEET = 970;

const fingers = matchMedia('(pointer: coarse)');

export type Grid = ReturnType<typeof makeGrid>;

/** The rows of resources over a span of time. Only what is near the visible part is in the document. */
export function makeGrid(schedule: Schedule) {
  const element = byId('grid');
  const body = byId('rows');
  const rows = new VirtualRows(element, body, schedule);
  const collapsed = new Set<string>();
  let shown: View;
  let hours: Hours = ALL_HOURS;
  let look: RowLook;
  let isPressed = false;
  let isPrinted = false;
  let postponed: (() => void) | undefined;

  const sight = new Sight(element, body, rows);
  const marks = new Marks(body, (slot) => sight.placeOf(grid.axis, slot), describe);
  const grid = {
    element,
    axis: undefined as unknown as Axis,
    rows: [] as readonly Row[],
    /** The keyboard's position: a resource and an instant within a cell. */
    active: undefined as { resource: string; at: number } | undefined,
    /** While something is dragged, the hours stay where they are. */
    isHeld: false,
    mark: (name: MarkName, slot?: Slot) => marks.set(name, slot),
    marked: (name: MarkName) => marks.slot(name),
    /** Scrolls a marked slot into view. */
    reveal: (name: MarkName) => reveal(marks.slot(name)),
    draw,
    press,
    drawNow: () => drawNow(grid.axis, look.names, Date.now()),
    scrollToTime: (instant: number) => sight.toTime(grid.axis, instant),
    indexOf: (resource: string) => rows.indexOf(resource),
    cellsOf: (resource: string) => cellsOf(schedule, resource, grid.axis.span, look.wanted),
    cellFrom,
    instantAt,
    activate,
    toggleGroup,
    /** Number of rows that fit on the screen. */
    page: () => Math.floor(element.clientHeight / rows.height) - 2,
  };

  element.addEventListener('scroll', inNextFrame(paint), { passive: true });
  // What is being booked stays in sight when a panel takes room.
  const resize = () => grid.axis && reveal(marks.slot('held') ?? marks.slot('chosen') ?? marks.slot('open'));
  new ResizeObserver(inNextFrame(resize)).observe(element);

  for (const type of ['beforeprint', 'afterprint']) {
    addEventListener(type, () => {
      isPrinted = type === 'beforeprint';
      draw(grid.axis.span, shown);
    });
  }

  /** Draws the visible part of a span; rows that are up to date are kept. */
  function draw(span: Span, view: View, now = Date.now()): void {
    if (isPressed) {
      postponed = () => draw(span, view);
      return;
    }
    shown = view;
    const listRows = (wanted: Wanted) => rowsOf(schedule, span, view, wanted, collapsed);
    const all = listRows(NONE);
    if (!grid.isHeld) hours = view.nights ? ALL_HOURS : workingHours(slotsIn(span, all), span, now);
    const wanted = view.free === 0 ? NONE : wantedOf(span, view, now, openTimes(span, hours));
    grid.rows = view.free === 0 ? all : listRows(wanted);
    rows.measure(grid.rows);
    const axis = isPrinted
      ? new Axis(span, SHEET - rows.names, hours, { day: 1, week: 1 })
      : new Axis(span, sight.room, hours, fingers.matches ? LEAST_FOR_FINGERS : undefined);
    if (!axis.equals(grid.axis) || look.names !== rows.names) {
      const before = grid.axis;
      grid.axis = axis;
      drawAxis(axis);
      byId('nights').hidden = !view.nights && !axis.parts.some(({ isFolded }) => isFolded);
      byId('corner').firstElementChild!.textContent = span.zone.name.replaceAll('_', ' ');
      body.style.width = `${rows.names + axis.width}px`;
      look = { axis, names: rows.names, wanted, words: [], from: 0, to: 0, most: 0, height: 0 };
      if (before?.span === span) sight.keep(axis, before);
    }
    const words = wordsOf(view.filter);
    const isSame = JSON.stringify([words, wanted]) === JSON.stringify([look.words, look.wanted]);
    if (!isSame) look = { ...look, wanted, words };
    element.ariaRowCount = String(grid.rows.length + 1);
    drawNow(axis, rows.names, now);
    paint();
    marks.draw();
  }

  /** Between a press and its release nothing is drawn: a click is lost if its element is replaced meanwhile. */
  function press(is: boolean): void {
    isPressed = is;
    if (is || postponed === undefined) return;
    postponed();
    postponed = undefined;
  }

  /** Draws visible rows that are not drawn yet, and removes the others. */
  function paint(): void {
    if (isPressed) {
      postponed ??= paint;
      return;
    }
    const { scrollLeft, clientWidth } = element;
    // In steps, so that rows are rarely redrawn.
    const step = clientWidth / 8;
    const from = (Math.floor(scrollLeft / step) - 0.5) * step;
    const { most, height } = rows;
    if (most !== look.most || height !== look.height) look = { ...look, most, height };
    if (isPrinted) look = { ...look, from: 0, to: look.axis.width };
    else if (from !== look.from) look = { ...look, from, to: from + 10 * step };
    grid.active = validActive();
    rows.paint(look, grid.active, isPrinted);
  }

  /** Scrolls a slot into sight. */
  function reveal(slot: Slot | undefined): void {
    draw(grid.axis.span, shown);
    const place = slot && sight.placeOf(grid.axis, slot);
    if (place === undefined) return;
    sight.reveal(place);
    paint();
    marks.draw();
  }

  /** What must not be folded: the bookings of the rows, and what is being booked. */
  function* slotsIn({ start, end }: Span, all: readonly Row[]): Iterable<Slot> {
    yield* marks.slots('chosen', 'held', 'open');
    for (const resource of resourcesOf(all)) yield* schedule.booked(resource, start, end);
  }

  function describe({ resource, start, end }: Slot) {
    const { zone } = grid.axis.span;
    const text = `${shortTimes(zone, start, end)} · ${durationText(end - start)}`;
    return { text, start: zone.clock(start), isTaken: schedule.booked(resource, start, end).length > 0 };
  }

  /** The instant under a point of the page. */
  function instantAt(clientX: number): number {
    const { left } = element.getBoundingClientRect();
    return grid.axis.instant(clientX - left + element.scrollLeft - look.names);
  }

  /** The cell under a mouse, also where its free time has no element. */
  function cellFrom({ target, clientX }: MouseEvent): DrawnCell | undefined {
    const found = cellAt(target)?.cell;
    if (found !== undefined) return found;
    const isOnBookings = target instanceof Element && target.closest('.several, .found') !== null;
    const resource = rows.resourceOf(target);
    if (resource === undefined) return undefined;
    const at = instantAt(clientX);
    // The box of a booking can be wider than its time.
    const cell = grid.cellsOf(resource).findLast(({ start, booked }) => start <= at && (booked || !isOnBookings));
    return cell && drawnCellOf(cell, resource, look.wanted);
  }

  /** Moves the keyboard's position to a cell, and with `focus` scrolls to it and focuses it. */
  function activate(resource: string, at: number, focus: boolean): void {
    grid.active = { resource, at };
    if (focus) reveal({ resource, start: at, end: Math.min(at + 60_000, grid.axis.span.end) });
    else paint();
    if (focus) rows.activeCell(grid.active)?.focus({ preventScroll: true });
  }

  function toggleGroup(group: string): void {
    if (!collapsed.delete(group)) collapsed.add(group);
    draw(grid.axis.span, shown);
  }

  /** The active cell if it still exists, else the first one. */
  function validActive(): typeof grid.active {
    const { span } = grid.axis;
    const { active } = grid;
    const isThere = active !== undefined && rows.indexOf(active.resource) >= 0;
    if (isThere && isWithin(span, active.at)) return active;
    const now = Date.now();
    const at = isWithin(span, now) ? now : span.start;
    const [first] = resourcesOf(grid.rows);
    const resource = isThere ? active.resource : first;
    return resource === undefined ? undefined : { resource, at };
  }

  return grid;
}

function resourcesOf(rows: readonly Row[]): string[] {
  return rows.flatMap((row) => (row.group === undefined ? [row.resource] : []));
}
