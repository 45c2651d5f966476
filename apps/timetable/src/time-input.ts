import { byId, make } from './dom.js';
import { offsetText, type Zone } from './zone.js';

/** A date and a time of the clock. Where the clock shows it twice, a choice between the two appears. */
export class TimeInput {
  readonly date: HTMLInputElement;
  readonly time: HTMLInputElement;
  readonly offset: HTMLSelectElement;

  /** @param name the beginning of the elements' ids */
  constructor(name: 'start' | 'end') {
    this.date = byId(`${name}-date`) as HTMLInputElement;
    this.time = byId(`${name}-time`) as HTMLInputElement;
    this.offset = byId(`${name}-offset`) as HTMLSelectElement;
  }

  get elements(): HTMLInputElement[] {
    return [this.date, this.time, this.offset as unknown as HTMLInputElement];
  }

  write(instant: number, zone: Zone): void {
    this.date.value = zone.date(instant);
    this.time.value = zone.time(instant);
    this.#offer(zone);
    this.offset.value = offsetText(zone.offset(instant));
  }

  /** @returns the instant, or the fault of what was entered */
  read(zone: Zone): number | string {
    this.#offer(zone);
    return zone.parse(`${this.date.value} ${this.time.value.slice(0, 5)} ${this.offset.value}`);
  }

  /** Offers the offsets from UTC of a time that occurs twice. */
  #offer(zone: Zone): void {
    const local = Date.parse(`${this.date.value}T${this.time.value.slice(0, 5)}Z`);
    const instants = Number.isNaN(local) ? [] : zone.instants(local);
    const offsets = instants.length > 1 ? instants.map((instant) => offsetText(zone.offset(instant))) : [];
    this.offset.hidden = offsets.length === 0;
    if (this.offset.options.length === (offsets.length && offsets.length + 1)) return;
    const named = offsets.map((value, index) =>
      make('option', { value }, `the ${index === 0 ? 'first' : 'second'} (UTC${value})`),
    );
    this.offset.replaceChildren(
      ...(named.length > 0 ? [make('option', { value: '' }, 'Occurs twice …'), ...named] : []),
    );
  }
}
