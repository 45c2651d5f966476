import type { Bookings, Slot } from './bookings.js';
import { drawHead, drawNow, drawRow } from './cells.js';
import { byId, make } from './dom.js';
import { type Cell, cellAt, cellsOf, type Row, rowsOf } from './rows.js';
import { hourOf, isWithin, type Span } from './time.js';
import type { View } from './view.js';

/** Cells up to which a row is drawn whole; above it, free time has elements only at the keyboard's position. */
const WHOLE_ROW = 20;

/** `chosen` is what is being booked, `held` the slot that conflicts with it, `open` a booking that is pointed out. */
export type MarkName = 'chosen' | 'held' | 'open';

/** A row in the document; it has children while it is near the visible part. */
interface DrawnRow {
  readonly element: HTMLElement;
  row: Row;
  isNear: boolean;
  /** What is drawn; empty for nothing. */
  signature: string;
  cells: readonly Cell[];
}

/** The rows of resources over a span of time. */
export class Grid {
  readonly element = byId('grid');
  span!: Span;
  resources: readonly string[] = [];
  /** The keyboard's position: a resource, and an instant within a cell of it. */
  active: { readonly resource: string; readonly at: number } | undefined;
  readonly marks = new Map<MarkName, Slot>();
  #view!: View;
  #stop: HTMLElement | undefined;
  #rows = new Map<string, DrawnRow>();
  readonly #print = matchMedia('print');
  readonly #observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const own = this.#rowOf(target);
        if (own?.element === target) own.isNear = isIntersecting;
      }
      this.#paint();
    },
    { root: this.element, rootMargin: '200px' },
  );

  constructor(private readonly bookings: Bookings) {
    // What is pointed out stays in sight when a panel takes room.
    new ResizeObserver(() => [...this.marks.keys()].forEach((name) => this.reveal(name))).observe(this.element);
    this.#print.addEventListener('change', () => this.#paint());
  }

  draw(span: Span, view: View): void {
    if (this.span !== span) drawHead(span);
    [this.span, this.#view] = [span, view];
    const rows = rowsOf(this.bookings, span, view);
    const old = this.#rows;
    this.#rows = new Map(rows.map((row) => [row.key, Object.assign(old.get(row.key) ?? this.#make(row), { row })]));
    for (const [key, { element }] of old) if (!this.#rows.has(key)) element.remove();
    let previous: Element = byId('lines');
    for (const { element } of this.#rows.values()) {
      if (previous.nextElementSibling !== element) previous.after(element);
      previous = element;
    }
    this.resources = rows.flatMap(({ key, count }) => (count === undefined ? [key] : []));
    drawNow(span);
    this.#paint();
  }

  cellsOf(resource: string): Cell[] {
    return cellsOf(this.bookings, resource, this.span, this.#view);
  }

  /** Moves the keyboard's position; with `focus`, focuses and perhaps scrolls to it. */
  activate(resource: string, at: number, focus?: 'stay' | 'reveal'): void {
    this.active = { resource, at };
    this.#paint();
    if (focus) this.#stop?.focus({ preventScroll: true });
    if (focus === 'reveal') this.#stop?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  instantAt(clientX: number): number {
    const { left, width } = byId('hours').getBoundingClientRect();
    return this.span.start + ((clientX - left) / width) * (this.span.end - this.span.start);
  }

  cellFrom({ target, clientX = 0 }: { target: EventTarget | null; clientX?: number }): Cell | undefined {
    const own = this.#rowOf((target as Element).closest('.cells')?.parentElement);
    const { at } = (target as Element).closest<HTMLElement>('.cell')?.dataset ?? {};
    return own && cellAt(own.cells, at === undefined ? this.instantAt(clientX) : Number(at));
  }

  mark(name: MarkName, slot?: Slot): void {
    const before = this.marks.get(name);
    if (slot) this.marks.set(name, slot);
    else this.marks.delete(name);
    for (const resource of [before?.resource, slot?.resource]) {
      const own = this.#rows.get(resource ?? '');
      if (own && own.signature !== '') this.#fill(own);
    }
  }

  reveal(name: MarkName): void {
    const own = this.#rows.get(this.marks.get(name)?.resource ?? '');
    if (own === undefined) return;
    this.#fill(own);
    own.element.querySelector(`.mark.${name}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  scrollTo(at: number): void {
    const { start, end } = this.span;
    this.element.scrollLeft = ((at - start) / (end - start)) * byId('hours').clientWidth;
  }

  #rowOf(element: Element | null | undefined): DrawnRow | undefined {
    return this.#rows.get((element as HTMLElement | undefined)?.dataset['key'] ?? '');
  }

  #make(row: Row): DrawnRow {
    const element = make('div', { className: row.count === undefined ? 'row' : 'row group', role: 'row' });
    element.dataset['key'] = row.key;
    this.#observer.observe(element);
    return { element, row, isNear: false, signature: '', cells: [] };
  }

  /** Draws the rows near the visible part and that of the keyboard's position; in print, all of them. */
  #paint(): void {
    const hadFocus = this.element.contains(document.activeElement);
    const { resource = '', at = NaN } = this.active ?? {};
    const key = this.#rows.has(resource) ? resource : this.resources[0];
    const instant = [at, Date.now()].find((one) => isWithin(this.span, one)) ?? hourOf(this.span, 9);
    this.active = key === undefined ? undefined : { resource: key, at: instant };
    for (const own of this.#rows.values()) {
      if (this.#print.matches || own.isNear || own.row.key === key) this.#fill(own);
      else if (own.signature !== '') {
        own.element.replaceChildren();
        own.signature = '';
      }
    }
    const own = this.#rows.get(key ?? '');
    const start = own && cellAt(own.cells, instant)?.start;
    const stop = own?.element.querySelector<HTMLElement>(`[data-at="${start}"]`) ?? undefined;
    if (this.#stop) this.#stop.tabIndex = -1;
    if (stop) stop.tabIndex = 0;
    this.#stop = stop;
    // Without a cell to focus, keys scroll the grid itself.
    this.element.tabIndex = stop ? -1 : 0;
    if (hadFocus && !this.element.contains(document.activeElement)) stop?.focus({ preventScroll: true });
  }

  #fill(own: DrawnRow): void {
    const { row } = own;
    const { span, marks } = this;
    own.cells = row.count === undefined ? this.cellsOf(row.key) : [];
    const isWhole = own.cells.length <= WHOLE_ROW || row.key === this.active?.resource;
    const cells = own.cells.filter((cell) => isWhole || cell.booked || cell.isUnread || cell.isWanted);
    const outlined = [...marks].flatMap(([name, slot]): [string, Slot][] => {
      if (slot.resource !== row.key || span.days.length > 1 || slot.start >= span.end || slot.end <= span.start)
        return [];
      const isClash = name === 'chosen' && this.bookings.booked(row.key, slot).length > 0;
      return [[`mark ${name}${isClash ? ' clash' : ''}`, slot]];
    });
    const idsOf = ({ booked, day = [] }: Cell) => [booked, ...day].map((one) => one?.booking.booking_id);
    const known = cells.map((cell) => [cell.start, cell.end, cell.isUnread, cell.isWanted, idsOf(cell)]);
    const signature = JSON.stringify([row, span.start, span.zone.name, this.#view.filter, outlined, known]);
    if (own.signature === signature) return;
    own.signature = signature;
    drawRow(own.element, row, cells, outlined, span, this.#view);
  }
}
