import type { Booked, Bookings, Slot } from './bookings.js';
import { byId, showToast } from './dom.js';
import type { BookingForm } from './form.js';
import type { Grid } from './grid.js';
import type { Panel } from './panel.js';
import type { Cell } from './rows.js';
import { isolated, whenText } from './texts.js';
import { HOUR, hourOf, isWithin, MINUTE, QUARTER } from './time.js';
import type { Toolbar } from './view.js';

/** Pixels that a press may move and still be a click. */
const CLICK_MOVEMENT = 4;

/**
 * What is chosen in the grid, with mouse, pen, finger and keys: dragging over a row books a time in quarters of an
 * hour; a click, a tap or Enter opens what is there, or books free time. A moving finger scrolls.
 */
export class Choices {
  /** Whether the page offers to book: until the service first says that this token cannot. */
  #canBook = true;
  /** What is pressed, and once the press has moved, what it chooses. */
  #press: { x: number; at: number; resource: string; slot?: Slot } | undefined;

  constructor(
    private readonly grid: Grid,
    private readonly bookings: Bookings,
    private readonly toolbar: Toolbar,
    private readonly panel: Panel,
    private readonly form: BookingForm,
  ) {
    const { element } = grid;
    element.addEventListener('pointerdown', (event) => this.#begin(event));
    element.addEventListener('pointermove', (event) => this.#drag(event));
    element.addEventListener('click', (event) => this.#click(event));
    element.addEventListener('keydown', (event) => this.#move(event));
    addEventListener('pointerup', () => {
      const slot = this.#release();
      if (!slot) return;
      grid.activate(slot.resource, slot.start);
      this.#book(slot);
    });
    addEventListener('pointercancel', () => this.#release() && this.#cancel());
    byId('new').addEventListener('click', () => this.bookNext());
    byId('skip').addEventListener(
      'click',
      () => grid.active && grid.activate(grid.active.resource, grid.active.at, 'reveal'),
    );
  }

  allow(canBook: boolean): void {
    if (canBook === this.#canBook) return;
    this.#canBook = canBook;
    byId('new').hidden = !canBook;
    if (!canBook) showToast('This token cannot create bookings: nothing was booked; the page is read-only.');
    this.panel.close();
  }

  /**
   * Offers what a search has found, or the next free hour: from now on today, from nine on any other day, of the
   * resource at the keyboard's position, or else of any.
   */
  bookNext(): void {
    const { grid } = this;
    // In a week, of the day at the keyboard's position.
    if (grid.active && grid.span.days.length > 1) this.#openDay(grid.span.zone.date(grid.active.at));
    const resource = grid.active?.resource ?? '';
    const wanted = [resource, ...grid.resources].flatMap((name) => grid.cellsOf(name)).find((cell) => cell.isWanted);
    if (wanted) return this.#choose(wanted, wanted.start);
    const [{ span }, now] = [grid, Date.now()];
    const first = isWithin(span, now) ? Math.ceil(now / HOUR) * HOUR : hourOf(span.days[0]!, 9);
    const free = this.#firstFree([resource], first) ?? this.#firstFree(grid.resources, first);
    this.#openForm(free ?? { resource: '', start: first, end: first + HOUR });
  }

  /** The first hour from an instant on that some of the resources have free. */
  #firstFree(resources: readonly string[], from: number): Slot | undefined {
    const cells = resources.flatMap((name) => this.grid.cellsOf(name));
    const starts = cells.flatMap(({ resource, start, end, booked, isUnread }) => {
      const first = Math.max(start, from);
      return booked || isUnread || end - first < HOUR ? [] : [{ resource, start: first, end: first + HOUR }];
    });
    return starts.toSorted((one, other) => one.start - other.start)[0];
  }

  /** Opens what a cell shows, or books its free time: from the half hour of the clock before `at` if there is more. */
  #choose(cell: Cell, at: number): void {
    const { resource, start, end, booked, day } = cell;
    const [{ zone }, length] = [this.grid.span, Number(this.toolbar.view.free) * MINUTE || HOUR];
    if (day) return this.#openDay(zone.date(start));
    if (booked) return this.#open(booked);
    const half = at - (zone.local(at) % (2 * QUARTER));
    const next = Math.ceil(Date.now() / QUARTER) * QUARTER;
    const first = isWithin(cell, next) ? next : start;
    const from = end - first > length ? Math.max(first, half) : first;
    this.#book({ resource, start: from, end: Math.min(end, from + length) });
  }

  #open(booked: Booked): void {
    if (!this.form.isOpen) return this.panel.showDetails(booked);
    this.grid.mark('open', booked);
    const when = whenText(this.grid.span.zone, booked);
    showToast(`${isolated(booked.label)}, ${when}. Finish or cancel the open form for more.`);
  }

  #openDay(date: string): void {
    const { grid, toolbar } = this;
    const resource = grid.active?.resource ?? '';
    toolbar.change({ date, span: 'day' });
    const asked = grid.cellsOf(resource).find(({ isWanted, isFound }) => isWanted || isFound);
    grid.activate(resource, asked?.start ?? hourOf(grid.span.days[0]!, 9), asked && 'reveal');
  }

  #book(slot: Slot): void {
    if (!this.bookings.isUnread({ start: slot.start, end: slot.start + 1 })) return this.#openForm(slot);
    this.#cancel();
    showToast('This time has not been read.');
  }

  #openForm(slot: Slot): void {
    if (!this.#canBook) return;
    this.grid.mark('open');
    if (!this.form.isOpen) this.panel.showForm();
    this.form.open(slot);
  }

  #cancel(): void {
    this.grid.mark('chosen');
    this.form.showSlot();
  }

  #begin(event: PointerEvent): void {
    const { clientX: x, button, pointerType, target } = event;
    const chosen = this.grid.marks.get('chosen');
    if (button !== 0 || !this.#canBook) return;
    // An edge of what is chosen moves while the other one stays, also under a finger.
    const edge = (target as Element).closest('#chosen > *')?.className;
    if (chosen && edge) {
      const at = edge === 'end' ? chosen.start : chosen.end - 1;
      this.#press = { x, at, resource: chosen.resource };
      return;
    }
    const cell = this.grid.cellFrom(event);
    if (!cell || cell.day || pointerType === 'touch') return;
    this.#press = { x, at: this.grid.instantAt(x), resource: cell.resource };
  }

  #drag({ clientX, pointerId }: PointerEvent): void {
    const [press, { element, span }] = [this.#press, this.grid];
    if (!press || (!press.slot && Math.abs(clientX - press.x) < CLICK_MOVEMENT)) return;
    // The click that ends a drag goes to the grid itself, and chooses nothing.
    element.setPointerCapture(pointerId);
    const [from, to] = [press.at, this.grid.instantAt(clientX)].toSorted((a, b) => a - b) as [number, number];
    const start = Math.max(span.start, Math.floor(from / QUARTER) * QUARTER);
    const end = Math.min(span.end, Math.max(start + QUARTER, Math.ceil(to / QUARTER) * QUARTER));
    press.slot = { resource: press.resource, start, end };
    this.grid.mark('chosen', press.slot);
  }

  /** Ends a press. @returns what it has chosen, if it was a drag */
  #release(): Slot | undefined {
    const slot = this.#press?.slot;
    this.#press = undefined;
    return slot;
  }

  #click(event: MouseEvent): void {
    const { date } = (event.target as HTMLElement).closest<HTMLElement>('.day')?.dataset ?? {};
    if (date !== undefined) this.#openDay(date);
    const cell = this.grid.cellFrom(event);
    if (cell === undefined) return;
    // A screen reader's click has no position.
    const at = event.detail === 0 || cell.day ? cell.start : this.grid.instantAt(event.clientX);
    this.grid.activate(cell.resource, Math.max(cell.start, Math.min(at, cell.end - 1)));
    this.#choose(cell, at);
  }

  /** The keys of a grid with one tab stop (ARIA Authoring Practices, "Grid Pattern"). */
  #move(event: KeyboardEvent): void {
    const { grid } = this;
    const { key, ctrlKey, altKey, metaKey, target } = event;
    const { resources, span, active } = grid;
    if (!active || altKey || metaKey || (target as Element).closest('button')) return;
    // A screen reader may focus any cell.
    const focused = grid.cellFrom(event);
    const isOther = focused && (focused.resource !== active.resource || !isWithin(focused, active.at));
    const { resource, at } = isOther ? { ...focused, at: Math.max(focused.start, span.start) } : active;
    const cells = grid.cellsOf(resource);
    const cell = cells.find((one) => isWithin(one, at));
    const sideways = (by: -1 | 1) => {
      const next = cells[cells.indexOf(cell!) + by];
      if (next) grid.activate(resource, Math.max(next.start, span.start), 'reveal');
    };
    const upDown = (by: number, instant = at) => {
      const index = Math.max(0, Math.min(resources.length - 1, resources.indexOf(resource) + by));
      grid.activate(resources[index]!, instant, 'reveal');
    };
    const act = () => cell && this.#choose(cell, at);
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
      Escape: () => (this.#release() ? this.#cancel() : this.panel.close()),
    };
    if (!(key in keys)) return;
    event.preventDefault();
    event.stopPropagation();
    keys[key]!();
  }
}
