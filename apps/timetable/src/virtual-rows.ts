import { place } from './dom.js';
import { cellAt, type RowLook } from './cell-view.js';
import { drawRow } from './row-view.js';
import type { Row } from './rows.js';
import type { Schedule } from './schedule.js';
import { isWithin } from './span.js';

/** Pixels above and below the visible part in which rows are drawn. */
const SPARE = 90;
/** Cells that all drawn rows may have together, and each of them in any case. */
const CELLS = { all: 1_150, least: 32 };

interface DrawnRow {
  readonly element: HTMLElement;
  readonly version: number;
  readonly look: RowLook;
  readonly row: Row;
}

type Active = { readonly resource: string; readonly at: number } | undefined;

/** The rows that are in the document: the visible ones and some around them, in their order. */
export class VirtualRows {
  /** Width of the column of names, and height of a resource's row, in pixels. */
  names = 0;
  height = 0;
  #groupHeight = 0;
  #rows: readonly Row[] = [];
  #tops: number[] = [];
  #indices = new Map<string, number>();
  readonly #drawn = new Map<string, DrawnRow>();

  constructor(
    private readonly grid: HTMLElement,
    private readonly body: HTMLElement,
    private readonly schedule: Schedule,
  ) {}

  /** Measures the rows of a view by the style sheet. */
  measure(rows: readonly Row[]): void {
    const style = getComputedStyle(this.grid);
    const pixels = (name: string) => Number.parseFloat(style.getPropertyValue(name));
    [this.names, this.height, this.#groupHeight] = [pixels('--names'), pixels('--row'), pixels('--group-row')];
    this.#rows = rows;
    this.#indices = new Map(rows.map((row, index) => [keyOf(row), index]));
    let top = 0;
    this.#tops = rows.map(({ group }) => {
      const own = top;
      top += group === undefined ? this.height : this.#groupHeight;
      return own;
    });
    this.body.style.height = `${top}px`;
  }

  /** Cells that a row may have. */
  get most(): number {
    const drawn = Math.min(this.#rows.length, (this.grid.clientHeight + 2 * SPARE) / this.height);
    return Math.max(CELLS.least, Math.floor(CELLS.all / drawn));
  }

  indexOf(resource: string): number {
    return this.#indices.get(resource) ?? -1;
  }

  top(index: number): number {
    return this.#tops[index]!;
  }

  /** The resource of the row that an element is in. */
  resourceOf(target: EventTarget | null): string | undefined {
    const element = target instanceof Element ? target.closest('.row') : null;
    const found = [...this.#drawn.values()].find((drawn) => drawn.element === element);
    return found?.row.group === undefined ? found?.row.resource : undefined;
  }

  /** Draws the rows near the visible part, and that of the keyboard's position wherever it is; removes others. */
  paint(look: RowLook, active: Active, isAll: boolean): void {
    const hadFocus = document.activeElement?.matches('.cell');
    const indices = isAll ? [...this.#rows.keys()] : this.#near();
    const index = active ? this.indexOf(active.resource) : -1;
    if (index >= 0 && !indices.includes(index)) indices.push(index);
    const seen = new Set<string>();
    let next: HTMLElement | undefined;
    // From the last, so that each is inserted before the one after it: a screen reader reads them in that order.
    for (const at of indices.toSorted((one, other) => other - one)) {
      const isActive = at === index;
      const { element } = this.#draw(at, look, isActive ? active!.at : undefined);
      const isBefore = next && element.compareDocumentPosition(next) & Node.DOCUMENT_POSITION_FOLLOWING;
      if (!element.isConnected || (next && !isBefore)) this.body.insertBefore(element, next ?? null);
      next = element;
      seen.add(keyOf(this.#rows[at]!));
    }
    for (const [key, { element }] of this.#drawn) {
      if (seen.has(key)) continue;
      element.remove();
      this.#drawn.delete(key);
    }
    // Tab reaches only one cell.
    for (const other of this.body.querySelectorAll<HTMLElement>('.cell[tabindex="0"]')) other.tabIndex = -1;
    const cell = this.activeCell(active);
    if (cell) cell.tabIndex = 0;
    // Without a cell to focus, keys scroll the grid itself.
    this.grid.tabIndex = cell ? -1 : 0;
    if (hadFocus && document.activeElement === document.body) cell?.focus({ preventScroll: true });
  }

  activeCell(active: Active): HTMLElement | undefined {
    const row = active && this.#drawn.get(active.resource)?.element;
    for (const candidate of row?.querySelectorAll<HTMLElement>('.cell') ?? []) {
      if (isWithin(cellAt(candidate)!.cell, active!.at)) return candidate;
    }
    return undefined;
  }

  #near(): number[] {
    const { scrollTop, clientHeight } = this.grid;
    const [from, to] = [scrollTop - SPARE, scrollTop + clientHeight + SPARE];
    return this.#tops.flatMap((top, index) => (top + this.height >= from && top <= to ? [index] : []));
  }

  #draw(index: number, look: RowLook, active: number | undefined): DrawnRow {
    const row = this.#rows[index]!;
    const key = keyOf(row);
    const version = this.schedule.version(key);
    const there = this.#drawn.get(key);
    const isActiveThere = active === undefined || this.activeCell({ resource: key, at: active }) !== undefined;
    let drawn = there;
    if (drawn?.version !== version || drawn.look !== look || !isSameRow(drawn.row, row) || !isActiveThere) {
      drawn = { element: drawRow(row, this.schedule, look, active), version, look, row };
      there?.element.replaceWith(drawn.element);
      this.#drawn.set(key, drawn);
    }
    place(drawn.element, 0, undefined, this.top(index));
    drawn.element.ariaRowIndex = String(index + 2);
    return drawn;
  }
}

/** Names of resources have no control characters. */
function keyOf(row: Row): string {
  return row.group === undefined ? row.resource : `\n${row.group}`;
}

function isSameRow(one: Row, other: Row): boolean {
  if (one.tint !== other.tint) return false;
  if (one.group === undefined) {
    return other.group === undefined && one.name === other.name && one.isTaken === other.isTaken;
  }
  return other.group !== undefined && one.count === other.count && one.isCollapsed === other.isCollapsed;
}
