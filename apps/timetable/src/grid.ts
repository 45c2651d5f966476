import { Axis, drawAxis } from './axis.js';
import { byId, make } from './dom.js';
import { type DrawnCell, cellAt, drawRow, type RowLook } from './row-view.js';
import { type Row, rowsOf } from './rows.js';
import type { Schedule } from './schedule.js';
import type { Span } from './span.js';
import type { View } from './view.js';

/** Rows that are drawn above and below those that are seen. */
const SPARE = 3;

/** A stretch of time of one resource. */
export interface Slot {
  readonly resource: string;
  readonly start: number;
  readonly end: number;
}

/** The rows of resources over a span of time. Only what is near the part that is seen is in the document. */
export class Grid {
  readonly element = byId('grid');
  readonly #corner = byId('corner');
  readonly #head = byId('hours');
  readonly #body = byId('rows');
  readonly #lines = byId('lines');
  readonly #nowLine = byId('now');
  readonly #schedule: Schedule;
  readonly #drawn = new Map<string, { element: HTMLElement; version: number; look: RowLook }>();
  /** The stretch that is chosen, and the one that is in its way. */
  readonly #marks = {
    chosen: make('div', { className: 'mark chosen' }),
    held: make('div', { className: 'mark held' }),
  };
  readonly #marked: { chosen?: Slot | undefined; held?: Slot | undefined } = {};

  axis!: Axis;
  rows: Row[] = [];
  /** Where the keyboard is: a resource and an instant within a cell. */
  active: { resource: string; at: number } | undefined;
  #look!: RowLook;
  #view!: View;
  #height = 0;

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
    const soon = (draw: () => void) => {
      let frame = 0;
      return () => {
        cancelAnimationFrame(frame);
        frame = requestAnimationFrame(draw);
      };
    };
    this.element.addEventListener(
      'scroll',
      soon(() => this.#paint()),
      { passive: true },
    );
    new ResizeObserver(soon(() => this.axis && this.draw(this.axis.span, this.#view))).observe(this.element);
  }

  /** Draws what is to be seen of a span; rows that are still right stay as they are. */
  draw(span: Span, view: View, now = Date.now()): void {
    this.#view = view;
    const { clientWidth } = this.element;
    const style = getComputedStyle(this.element);
    const names = Number.parseFloat(style.getPropertyValue('--names'));
    this.#height = Number.parseFloat(style.getPropertyValue('--row'));
    const last = this.axis;
    const axis = new Axis(span, clientWidth - names);
    if (last?.span !== span || last.hour !== axis.hour || this.#look.names !== names) {
      this.axis = axis;
      drawAxis(this.axis, this.#head, this.#lines);
      this.#corner.textContent = span.zone.name.replaceAll('_', ' ');
      this.#body.style.width = `${names + this.axis.width}px`;
      this.#look = { axis: this.axis, names, free: view.free, now, from: 0, to: 0 };
    }
    if (this.#look.free !== view.free || view.free > 0) this.#look = { ...this.#look, free: view.free, now };
    this.rows = rowsOf(this.#schedule, span, view, now);
    this.#body.style.height = `${this.rows.length * this.#height}px`;
    this.element.ariaRowCount = String(this.rows.length + 1);
    this.drawNow(now);
    this.#paint();
    for (const name of ['chosen', 'held'] as const) this.mark(name, this.#marked[name]);
  }

  drawNow(now = Date.now()): void {
    const { start, end } = this.axis.span;
    this.#nowLine.hidden = now < start || now >= end;
    this.#nowLine.style.left = `${this.#look.names + this.axis.x(now)}px`;
  }

  /** Scrolls so that an instant is at about a quarter of the width. */
  scrollToTime(instant: number): void {
    this.element.scrollLeft = this.axis.x(instant) - (this.element.clientWidth - this.#look.names) / 4;
  }

  /** Outlines a stretch, or none. */
  mark(name: 'chosen' | 'held', slot?: Slot): void {
    this.#marked[name] = slot;
    const element = this.#marks[name];
    const index = slot === undefined ? -1 : this.indexOf(slot.resource);
    if (slot === undefined || index < 0 || slot.start >= this.axis.span.end || slot.end <= this.axis.span.start) {
      element.remove();
      return;
    }
    const left = this.axis.x(slot.start);
    element.style.top = `${index * this.#height}px`;
    element.style.left = `${this.#look.names + left}px`;
    element.style.width = `${this.axis.x(slot.end) - left}px`;
    if (!element.isConnected) this.#body.append(element);
  }

  /** Brings the stretch that is marked into view. */
  reveal(name: 'chosen' | 'held'): void {
    this.#marks[name].scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  indexOf(resource: string): number {
    return this.rows.findIndex((row) => row.group === undefined && row.resource === resource);
  }

  /** The instant under a point of the page. */
  instantAt(clientX: number): number {
    const { left } = this.element.getBoundingClientRect();
    return this.axis.instant(clientX - left + this.element.scrollLeft - this.#look.names);
  }

  /** The element of the cell of a resource at an instant; its row is drawn for it. */
  cellOf(resource: string, at: number): { element: HTMLElement; cell: DrawnCell } | undefined {
    const row = this.#drawn.get(resource)?.element;
    for (const element of row?.querySelectorAll('.cell') ?? []) {
      const found = cellAt(element);
      if (found && found.cell.start <= at && at < found.cell.end) return found;
    }
    return undefined;
  }

  /** Makes a cell the one that the keyboard is at, and shows it. */
  activate(resource: string, at: number, focus: boolean): void {
    this.active = { resource, at };
    if (focus) this.#scrollTo(this.indexOf(resource), at);
    this.#paint();
    if (focus) this.cellOf(resource, at)?.element.focus({ preventScroll: true });
  }

  /** Rows that are seen at once. */
  get page(): number {
    return Math.max(1, Math.floor((this.element.clientHeight - this.#head.offsetHeight) / this.#height) - 1);
  }

  #scrollTo(index: number, at: number): void {
    const { element } = this;
    const top = index * this.#height;
    const room = element.clientHeight - this.#head.offsetHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + this.#height > element.scrollTop + room) element.scrollTop = top + this.#height - room;
    const x = this.axis.x(at);
    const width = element.clientWidth - this.#look.names;
    if (x < element.scrollLeft || x > element.scrollLeft + width - 40) element.scrollLeft = x - width / 4;
  }

  /** Draws the rows that are seen and not drawn yet, and takes away the others. */
  #paint(): void {
    const { scrollTop, clientHeight, scrollLeft, clientWidth } = this.element;
    // In steps of the width that is seen, so that a row is drawn anew only now and then.
    const step = Math.max(1, clientWidth);
    const from = (Math.floor(scrollLeft / step) - 0.5) * step;
    const to = from + 3 * step;
    if (from !== this.#look.from || to !== this.#look.to) this.#look = { ...this.#look, from, to };
    const first = Math.max(0, Math.floor(scrollTop / this.#height) - SPARE);
    const last = Math.min(this.rows.length, Math.ceil((scrollTop + clientHeight) / this.#height) + SPARE);
    const seen = new Set<string>();
    const focused = this.element.contains(document.activeElement) && document.activeElement !== this.element;
    this.active = this.#validActive();
    const activeIndex = this.active === undefined ? -1 : this.indexOf(this.active.resource);
    for (let index = first; index < last; index++) seen.add(this.#drawRow(index));
    // The row of the keyboard stays, wherever is scrolled to.
    if (activeIndex >= 0) seen.add(this.#drawRow(activeIndex));
    for (const [key, { element }] of this.#drawn) {
      if (seen.has(key)) continue;
      element.remove();
      this.#drawn.delete(key);
    }
    this.#setTabStop(focused);
  }

  #drawRow(index: number): string {
    const row = this.rows[index]!;
    const key = row.group === undefined ? row.resource : `\n${row.group}`;
    const version = row.group === undefined ? this.#schedule.version(row.resource) : 0;
    let drawn = this.#drawn.get(key);
    if (drawn === undefined || drawn.version !== version || drawn.look !== this.#look) {
      const element = drawRow(row, this.#schedule, this.#look);
      if (drawn === undefined) this.#body.append(element);
      else drawn.element.replaceWith(element);
      drawn = { element, version, look: this.#look };
      this.#drawn.set(key, drawn);
    }
    drawn.element.style.top = `${index * this.#height}px`;
    drawn.element.ariaRowIndex = String(index + 2);
    return key;
  }

  /** The active cell where it is still there, else the first one. */
  #validActive(): Grid['active'] {
    const { span } = this.axis;
    const isThere = this.active !== undefined && this.indexOf(this.active.resource) >= 0;
    if (isThere && this.active!.at >= span.start && this.active!.at < span.end) return this.active;
    const first = this.rows.find((row) => row.group === undefined);
    const resource = isThere ? this.active!.resource : first?.group === undefined ? first?.resource : undefined;
    if (resource === undefined) return undefined;
    const now = Date.now();
    return { resource, at: now >= span.start && now < span.end ? now : span.start };
  }

  /** One cell alone is reached by Tab; it is the one that has, or had, the focus. */
  #setTabStop(focused: boolean): void {
    const cell = this.active && this.cellOf(this.active.resource, this.active.at);
    for (const other of this.#body.querySelectorAll<HTMLElement>('.cell[tabindex="0"]')) {
      if (other !== cell?.element) other.tabIndex = -1;
    }
    if (cell === undefined) return;
    cell.element.tabIndex = 0;
    if (focused && document.activeElement === document.body) cell.element.focus({ preventScroll: true });
  }
}
