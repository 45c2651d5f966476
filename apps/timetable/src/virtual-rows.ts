import { cellAt, type RowLook } from './cell-view.js';
import { place } from './dom.js';
import { drawRow } from './row-view.js';
import { keyOf, type Row } from './rows.js';
import type { Schedule } from './schedule.js';
import { isWithin } from './span.js';

/** Pixels above and below the visible part in which rows are drawn. */
const SPARE = 90;
/** Cells that all drawn rows may have together, and each of them in any case. */
const CELLS = { all: 1_150, least: 14 };

interface DrawnRow {
  readonly element: HTMLElement;
  readonly version: number;
  readonly look: RowLook;
  readonly row: Row;
}

/** The keyboard's position: the key of a row, and an instant within a cell of it. */
export interface Position {
  readonly row: string;
  readonly at: number;
}

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

  /** @param key of a row, which is the name of its resource */
  indexOf(key: string): number {
    return this.#indices.get(key) ?? -1;
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
  paint(look: RowLook, active: Position | undefined): void {
    const indices = this.#near();
    const index = active ? this.indexOf(active.row) : -1;
    if (index >= 0 && !indices.includes(index)) indices.push(index);
    const seen = new Set<string>();
    let next: Element | undefined;
    for (const at of indices.toSorted((one, other) => other - one)) {
      const { element } = this.#draw(at, look, at === index ? active!.at : undefined);
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
  }

  /** The cell at a position. */
  elementAt({ row, at }: Position): HTMLElement | undefined {
    const drawn = this.#drawn.get(row);
    for (const candidate of drawn?.element.querySelectorAll<HTMLElement>('.cell') ?? []) {
      if (isWithin(cellAt(candidate)!, at)) return candidate;
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
    const isSameRow = JSON.stringify(there?.row) === JSON.stringify(row);
    const isActiveThere = active === undefined || this.elementAt({ row: key, at: active }) !== undefined;
    let drawn = there;
    if (drawn?.version !== version || drawn.look !== look || !isSameRow || !isActiveThere) {
      drawn = { element: drawRow(row, this.schedule, look, active), version, look, row };
      there?.element.replaceWith(drawn.element);
      this.#drawn.set(key, drawn);
    }
    place(drawn.element, 0, undefined, this.top(index));
    drawn.element.ariaRowIndex = String(index + 2);
    return drawn;
  }
}
