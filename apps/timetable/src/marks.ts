import { make, place } from './dom.js';
import type { Slot } from './schedule.js';

/**
 * `offer` is what a click would book, `chosen` what is being booked, `held` the slot that conflicts with it, and `open`
 * the booking whose details are shown.
 */
export type MarkName = 'offer' | 'chosen' | 'held' | 'open';

export interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  /** Whether there is no room to its right. */
  readonly isLate: boolean;
}

/** Minimum width in pixels of a mark that has its text inside. */
const ROOM = 170;

/** Outlines of slots over the rows. */
export class Marks {
  readonly #elements = new Map<MarkName, HTMLElement>();
  readonly #slots = new Map<MarkName, Slot>();

  /**
   * @param place where a slot is drawn; undefined if it is not
   * @param describe what a mark says, and whether its slot overlaps a booking
   */
  constructor(
    private readonly body: HTMLElement,
    private readonly placeOf: (slot: Slot) => Rectangle | undefined,
    private readonly describe: (slot: Slot) => { text: string; start: string; isTaken: boolean },
  ) {}

  slot(name: MarkName): Slot | undefined {
    return this.#slots.get(name);
  }

  slots(...names: MarkName[]): Slot[] {
    return names.flatMap((name) => this.#slots.get(name) ?? []);
  }

  /** Outlines a slot, or removes the outline. */
  set(name: MarkName, slot?: Slot): void {
    if (slot === undefined) this.#slots.delete(name);
    else this.#slots.set(name, slot);
    this.#draw(name);
  }

  /** Draws all marks where they belong now. */
  draw(): void {
    for (const name of this.#slots.keys()) this.#draw(name);
  }

  #draw(name: MarkName): void {
    const slot = this.#slots.get(name);
    const rectangle = slot && this.placeOf(slot);
    let element = this.#elements.get(name);
    if (slot === undefined || rectangle === undefined) {
      element?.remove();
      return;
    }
    if (element === undefined) this.#elements.set(name, (element = makeMark(name)));
    place(element, rectangle.left, rectangle.width, rectangle.top);
    if (name === 'chosen' || name === 'offer') {
      const { text, start, isTaken } = this.describe(slot);
      element.firstElementChild!.textContent = name === 'chosen' ? text : start;
      element.classList.toggle('clash', isTaken);
      element.classList.toggle('beside', name === 'chosen' && rectangle.width < ROOM);
      // Not over the booking in conflict.
      element.classList.toggle('left', rectangle.isLate || (isTaken && rectangle.left > 2 * ROOM));
    }
    if (!element.isConnected) this.body.append(element);
  }
}

function makeMark(name: MarkName): HTMLElement {
  const element = make('div', { className: `mark ${name}`, ariaHidden: 'true' }, make('span'));
  if (name !== 'chosen') return element;
  for (const edge of ['start', 'end'] as const) {
    const handle = make('i', { className: `handle ${edge}` });
    handle.dataset['edge'] = edge;
    element.append(handle);
  }
  return element;
}
