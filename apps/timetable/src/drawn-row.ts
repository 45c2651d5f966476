/** A row in the document. Its cells are drawn again only when what they show has changed. */

import { bookings } from './bookings.js';
import { isSame, make } from './dom.js';
import { drawRow } from './drawing.js';
import { cellsIn, type Row } from './rows.js';
import { isWithin, MINUTE, QUARTER } from './time.js';
import { span, view } from './view.js';

/**
 * A row of a day with this many bookings or more draws free time only where it is searched for, unless the row has the
 * keyboard's position.
 */
const FULL_ROW = 10;

export class DrawnRow {
  readonly element: HTMLElement;
  /** Everything on which the look of the cells depends; undefined while there are none. */
  #drawn: readonly unknown[] | undefined;

  constructor(public row: Row) {
    this.element = make('div', { className: row.count === undefined ? 'row' : 'row group' });
    this.element.dataset['key'] = row.key;
  }

  /** Draws the cells, unless the row shows them already. @param isActive whether it has the keyboard's position */
  fill(index: number, isActive: boolean): void {
    const { element, row } = this;
    const { key, tint, count } = row;
    const { filter, free, at } = view;
    const booked = bookings.ofResource(key);
    // The past is redrawn every quarter of an hour, the free time of a search every minute.
    const clock = Math.floor(Date.now() / (free === '' ? QUARTER : MINUTE));
    const current = booked.find((each) => isWithin(each, Date.now()));
    const isWhole = span.isWeek || booked.length < FULL_ROW || isActive;
    const drawn = [index, tint, count, span, filter, free, at, booked, bookings.knownTo(span), clock, current, isWhole];
    if (this.#drawn && isSame(this.#drawn, drawn)) return;
    this.#drawn = drawn;
    const cells = count === undefined ? cellsIn(bookings, key, span, view) : [];
    const shown = isWhole ? cells : cells.filter((cell) => cell.booked || cell.isUnread || cell.isWanted);
    // The first row is that of the time axis.
    element.ariaRowIndex = String(index + 2);
    drawRow(element, row, shown, span, view);
  }

  empty(): void {
    if (!this.#drawn) return;
    this.#drawn = undefined;
    this.element.replaceChildren();
    // The role `row` requires cells (ARIA, "Required Owned Elements").
    this.element.role = this.element.ariaRowIndex = null;
  }
}
