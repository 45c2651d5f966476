import type { Bookings, Slot } from './bookings.js';
import { drawHead, drawMark, drawNow, drawRow } from './cells.js';
import { byId, make } from './dom.js';
import { type Cell, cellsOf, type Row, rowsOf } from './rows.js';
import { hourOf, isWithin, overlap, type Span } from './time.js';
import type { View } from './view.js';

/** Cells up to which a row is drawn whole; above it, free time has elements only at the keyboard's position. */
const WHOLE_ROW = 20;

/** `chosen` is what is being booked, `open` what is pointed out: a booking that is looked at, or one in the way. */
export type MarkName = 'chosen' | 'open';

/** A row in the document; it has children while it is near the visible part, as `data-near` says. */
interface DrawnRow {
  readonly element: HTMLElement;
  row: Row;
  /** What is drawn; empty for nothing. */
  signature: string;
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
      for (const { target, isIntersecting } of entries) target.toggleAttribute('data-near', isIntersecting);
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
    const { children } = byId('rows');
    for (const [index, { element }] of [...this.#rows.values()].entries())
      if (children[index + 2] !== element) children[index + 1]!.after(element);
    this.resources = rows.flatMap(({ key, count }) => (count === undefined ? [key] : []));
    this.element.style.setProperty('--count', String(this.resources.length));
    this.element.style.setProperty('--groups', String(rows.length - this.resources.length));
    drawNow(span);
    this.#drawMarks();
    this.#paint();
  }

  cellsOf(resource: string): Cell[] {
    return this.resources.includes(resource) ? cellsOf(this.bookings, resource, this.span, this.#view) : [];
  }

  /** Moves the keyboard's position, focuses it, perhaps without scrolling to it, or shows it without a focus. */
  activate(resource: string, at: number, how?: 'focus' | 'reveal' | 'show'): void {
    this.active = { resource, at };
    this.#paint();
    if (how === 'focus' || how === 'reveal') this.#stop?.focus({ preventScroll: true });
    if (how === 'show' || how === 'reveal') this.#stop?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  instantAt(clientX: number): number {
    const { left, width } = byId('hours').getBoundingClientRect();
    return this.span.start + ((clientX - left) / width) * (this.span.end - this.span.start);
  }

  cellFrom({ target, clientX = 0 }: { target: EventTarget | null; clientX?: number }): Cell | undefined {
    const { key = '' } = (target as Element).closest('.cells')?.parentElement?.dataset ?? {};
    const { at } = (target as Element).closest<HTMLElement>('.cell')?.dataset ?? {};
    const instant = at === undefined ? this.instantAt(clientX) : Number(at);
    return this.cellsOf(key).find((cell) => isWithin(cell, instant));
  }

  mark(name: MarkName, slot?: Slot): void {
    if (slot) this.marks.set(name, slot);
    else this.marks.delete(name);
    this.#drawMarks();
  }

  reveal(name: MarkName): void {
    byId(name).scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  scrollTo(at: number): void {
    const { start, end } = this.span;
    this.element.scrollLeft = ((at - start) / (end - start)) * byId('hours').clientWidth;
  }

  #drawMarks(): void {
    const { span, bookings } = this;
    for (const name of ['chosen', 'open'] as const) {
      const [mark, slot] = [byId(name), this.marks.get(name)];
      const isShown = slot && span.days.length === 1 && overlap(slot, span);
      const row = isShown && this.#rows.get(slot.resource)?.element;
      mark.hidden = !row;
      if (row) drawMark(mark, slot, span, row.offsetTop, bookings.booked(slot.resource, slot).length > 0);
    }
  }

  #make(row: Row): DrawnRow {
    const element = make('div', { className: row.count === undefined ? 'row' : 'row group' });
    element.dataset['key'] = row.key;
    this.#observer.observe(element);
    return { element, row, signature: '' };
  }

  /** Draws the rows near the visible part and that of the keyboard's position; in print, all of them. */
  #paint(): void {
    const hadFocus = this.element.contains(document.activeElement);
    const { resource = '', at = NaN } = this.active ?? {};
    const key = this.#rows.has(resource) ? resource : this.resources[0];
    const instant = [at, Date.now()].find((one) => isWithin(this.span, one)) ?? hourOf(this.span.days[0]!, 9);
    this.active = key === undefined ? undefined : { resource: key, at: instant };
    for (const own of this.#rows.values()) {
      if (this.#print.matches || own.element.matches('[data-near]') || own.row.key === key) this.#fill(own);
      else if (own.signature !== '') {
        own.element.replaceChildren();
        // A row has cells (ARIA, "Required Owned Elements").
        own.element.role = null;
        own.signature = '';
      }
    }
    const own = this.#rows.get(key ?? '');
    const start = this.cellsOf(key ?? '').find((cell) => isWithin(cell, instant))?.start;
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
    const all = this.cellsOf(row.key);
    const isWhole = all.length <= WHOLE_ROW || row.key === this.active?.resource;
    const cells = all.filter((cell) => isWhole || cell.booked || cell.isUnread || cell.isWanted);
    const known = [row, this.span.start, this.#view, cells];
    // Of bookings, which never change, the label.
    const signature = JSON.stringify(known, (name, value: unknown) => (name === 'booking' ? undefined : value));
    if (own.signature === signature) return;
    own.signature = signature;
    drawRow(own.element, row, cells, this.span, this.#view);
  }
}
