import { Axis, drawAxis, drawNow } from './axis.js';
import { cellAt, type DrawnCell, type RowLook } from './cell-view.js';
import { byId, inNextFrame } from './dom.js';
import { type MarkName, Marks } from './marks.js';
import { partsOf } from './row-view.js';
import { type Row, rowsOf, wantedOf, wordsOf } from './rows.js';
import type { Range, Schedule, Slot } from './schedule.js';
import { Sight } from './sight.js';
import { isWithin, type Span } from './span.js';
import { durationText, pastText, shortTimes, timeText } from './texts.js';
import type { View } from './view.js';
import { type Position, VirtualRows } from './virtual-rows.js';

/** The key of the row above all others: the days of a week. */
export const HEAD = '\n';

export type Grid = ReturnType<typeof makeGrid>;

/** The rows of resources over a span of time. Only what is near the visible part is in the document. */
export function makeGrid(schedule: Schedule) {
  const element = byId('grid');
  const body = byId('rows');
  const rows = new VirtualRows(element, body, schedule);
  let shown: View;
  let look: RowLook;
  let isPressed = false;
  let postponed: (() => void) | undefined;

  const sight = new Sight(element, body, rows);
  const marks = new Marks(
    body,
    (slot) => sight.placeOf(grid.axis, slot),
    (place, width) => sight.textOf(place, width),
    describe,
  );
  const grid = {
    element,
    axis: undefined as unknown as Axis,
    rows: [] as readonly Row[],
    active: undefined as Position | undefined,
    mark: (name: MarkName, slot?: Slot) => marks.set(name, slot),
    marked: (name: MarkName) => marks.slot(name),
    /** Scrolls a marked slot into view. */
    reveal: (name: MarkName) => reveal(marks.slot(name)),
    draw,
    press,
    drawNow: () => drawNow(grid.axis, look.names, Date.now()),
    /** Scrolls an instant to a share of the width. */
    scrollToTime: (instant: number, share: number) => sight.toTime(grid.axis, instant, share),
    indexOf: (key: string) => rows.indexOf(key),
    stopsOf,
    cellFrom,
    instantAt,
    activate,
    /** Number of rows that fit on the screen. */
    page: () => Math.floor(element.clientHeight / rows.height) - 2,
  };

  element.addEventListener('scroll', inNextFrame(paint), { passive: true });
  // What is being booked stays in sight when a panel takes room.
  const resize = () => grid.axis && reveal(marks.slot('held') ?? marks.slot('chosen') ?? marks.slot('open'));
  new ResizeObserver(inNextFrame(resize)).observe(element);

  /** Draws the visible part of a span; rows that are up to date are kept. */
  function draw(span: Span, view: View, now = Date.now()): void {
    if (isPressed) {
      postponed = () => draw(span, view);
      return;
    }
    shown = view;
    const hadFocus = hasFocus();
    const wanted = wantedOf(span, view, now);
    grid.rows = rowsOf(schedule, span, view, wanted);
    rows.measure(grid.rows);
    const { names, most } = rows;
    const axis = new Axis(span, sight.room);
    if (axis.span !== grid.axis?.span || axis.hour !== grid.axis.hour || look.names !== names) {
      const before = grid.axis;
      grid.axis = axis;
      drawAxis(axis);
      byId('corner').firstElementChild!.textContent = span.zone.name.replaceAll('_', ' ');
      body.style.width = `${names + axis.width}px`;
      if (before?.span === span) sight.keep(axis, before);
    }
    const next = { axis: grid.axis, names, most, wanted, words: wordsOf(view.filter) };
    const [one, other] = [next, look].map((of) => JSON.stringify({ ...of, axis: undefined }));
    if (one !== other || look.axis !== grid.axis) look = next;
    element.ariaRowCount = String(grid.rows.length + 1);
    drawNow(grid.axis, names, now);
    paint(hadFocus);
  }

  /** Between a press and its release nothing is drawn: a click is lost if its element is replaced meanwhile. */
  function press(is: boolean): void {
    isPressed = is;
    if (is || postponed === undefined) return;
    postponed();
    postponed = undefined;
  }

  /** Draws visible rows that are not drawn yet, and removes the others. */
  function paint(hadFocus = hasFocus()): void {
    if (isPressed) {
      postponed ??= paint;
      return;
    }
    grid.active = validActive();
    rows.paint(look, grid.active);
    settle(hadFocus);
    marks.draw();
  }

  function hasFocus(): boolean {
    return element.contains(document.activeElement);
  }

  /** Lets Tab reach only the keyboard's position, and gives it the focus again if its element was replaced. */
  function settle(hadFocus: boolean): void {
    for (const other of element.querySelectorAll<HTMLElement>('[tabindex="0"]')) other.tabIndex = -1;
    const active = activeElement();
    if (active) active.tabIndex = 0;
    // Without a cell to focus, keys scroll the grid itself.
    element.tabIndex = active ? -1 : 0;
    if (hadFocus && document.activeElement === document.body) active?.focus({ preventScroll: true });
  }

  /** Scrolls a slot into sight. */
  function reveal(slot: Slot | undefined): void {
    draw(grid.axis.span, shown);
    const place = slot && sight.placeOf(grid.axis, slot);
    if (place) sight.reveal(place);
  }

  function describe(slot: Slot) {
    const { resource, start, end } = slot;
    const { zone } = grid.axis.span;
    const past = pastText(slot);
    const text = `${shortTimes(zone, start, end)} · ${durationText(end - start)}${past}`;
    const isTaken = schedule.booked(resource, start, end).length > 0;
    return { text, start: `${timeText(zone, start)}${past}`, isTaken };
  }

  /** The instant under a point of the page. */
  function instantAt(clientX: number): number {
    const { left } = element.getBoundingClientRect();
    return grid.axis.instant(clientX - left + element.scrollLeft - look.names);
  }

  /** The cell under a mouse, also where its free time has no element. */
  function cellFrom({ target, clientX }: MouseEvent): DrawnCell | undefined {
    const found = cellAt(target);
    const resource = rows.resourceOf(target);
    if (found || resource === undefined) return found;
    const at = instantAt(clientX);
    return partsOf(resource, schedule, look).find((cell) => isWithin(cell, at));
  }

  /** What arrows stop at in a row: its cells, or the days of a week. */
  function stopsOf(row: string): readonly Range[] {
    if (row === HEAD) return grid.axis.span.days;
    return partsOf(row, schedule, look);
  }

  /** Moves the keyboard's position, and with `focus` scrolls to it and focuses it. */
  function activate(row: string, at: number, focus: boolean): void {
    grid.active = { row, at };
    if (!focus) return paint();
    const end = stopsOf(row).find((stop) => isWithin(stop, at))?.end ?? at;
    reveal({ resource: row, start: at, end: Math.max(at + 60_000, end) });
    activeElement()?.focus({ preventScroll: row !== HEAD });
  }

  function activeElement(): HTMLElement | undefined {
    const { active } = grid;
    if (active?.row !== HEAD) return active && rows.elementAt(active);
    return element.querySelector<HTMLElement>(`[data-date="${grid.axis.span.zone.date(active.at)}"]`) ?? undefined;
  }

  /** The keyboard's position if it still exists, else the first one. */
  function validActive(): Position | undefined {
    const { span } = grid.axis;
    const { active } = grid;
    const now = Date.now();
    const start = isWithin(span, now) ? now : span.start;
    const at = active && isWithin(span, active.at) ? active.at : start;
    const isHead = active?.row === HEAD && span.days.length > 1;
    if (active && (isHead || rows.indexOf(active.row) >= 0)) return { row: active.row, at };
    const first = grid.rows.find((row) => row.group === undefined);
    return first && { row: first.resource, at };
  }

  return grid;
}
