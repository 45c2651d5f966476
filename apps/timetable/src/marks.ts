import { make, place } from './dom.js';
import type { Slot } from './schedule.js';
import type { Rectangle } from './sight.js';

/**
 * `offer` is what a click would book, `chosen` what is being booked, `held` the slot that conflicts with it, and `open`
 * the booking whose details are shown.
 */
export type MarkName = 'offer' | 'chosen' | 'held' | 'open';

/** Outlines of slots over the rows. */
export class Marks {
  readonly #elements = new Map<MarkName, HTMLElement>();
  readonly #slots = new Map<MarkName, Slot>();

  /**
   * @param placeOf where a slot is drawn; undefined if it is not
   * @param textOf where a text of some width is drawn, from the left of its place
   * @param describe what a mark says, and whether its slot overlaps a booking
   */
  constructor(
    private readonly body: HTMLElement,
    private readonly placeOf: (slot: Slot) => Rectangle | undefined,
    private readonly textOf: (place: Rectangle, width: number) => { left: number; isAbove: boolean },
    private readonly describe: (slot: Slot) => { text: string; start: string; isTaken: boolean },
  ) {}

  slot(name: MarkName): Slot | undefined {
    return this.#slots.get(name);
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
    if (!element.isConnected) this.body.append(element);
    if (name !== 'chosen' && name !== 'offer') return;
    const { text, start, isTaken } = this.describe(slot);
    const label = element.firstElementChild as HTMLElement;
    label.textContent = name === 'chosen' ? text : start;
    element.classList.toggle('clash', isTaken);
    if (name === 'offer') return;
    const { left, isAbove } = this.textOf(rectangle, label.offsetWidth);
    place(label, left);
    element.classList.toggle('above', isAbove);
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
