import { byId, make } from './dom.js';
import type { Slot } from './schedule.js';
import { durationText } from './span.js';
import { TimeInput } from './time-input.js';
import type { Zone } from './zone.js';

const MINUTE = 60_000;
const DURATIONS = [30, 60, 90, 120, 240].map((minutes) => minutes * MINUTE);

export const resource = byId('resource') as HTMLInputElement;
const starting = new TimeInput('start');
const ending = new TimeInput('end');
const durations = DURATIONS.map((duration) => {
  const button = make('button', { type: 'button', className: 'chip' }, durationText(duration));
  button.dataset['duration'] = String(duration);
  return button;
});
byId('durations').append(...durations);

/** Milliseconds from the start to the end that were last entered. */
let length = 0;

/** Everything that is entered of a slot. */
export const slotInputs = [resource, ...starting.elements, ...ending.elements];
export const slotControls = [...slotInputs, ...durations];

/** The inputs at which a fault of a slot's member is shown. */
export const inputOf = { start: starting.date, end: ending.date };

export function writeTimes({ start, end }: Slot, zone: Zone): void {
  starting.write(start, zone);
  ending.write(end, zone);
  showLength(end - start);
}

/** The start and the end, each an instant or the fault of what was entered. */
export function readTimes(zone: Zone): { start: number | string; end: number | string } {
  const [start, end] = [starting.read(zone), ending.read(zone)];
  return { start, end: typeof start === 'number' && end === start ? 'The end must be after the start.' : end };
}

/** The entered slot, if it is valid. */
export function readSlot(zone: Zone): Slot | undefined {
  const { start, end } = readTimes(zone);
  const isSlot = typeof start === 'number' && typeof end === 'number' && start < end;
  if (isSlot) showLength(end - start);
  return isSlot ? { resource: resource.value, start, end } : undefined;
}

/**
 * Lets the end follow the start, and the chips set it.
 *
 * @param zone undefined while no form is open
 */
export function linkTimes(zone: () => Zone | undefined, changed: () => void): void {
  const setEnd = (duration: number) => {
    const clock = zone();
    const start = clock && starting.read(clock);
    if (typeof start === 'number' && duration > 0) ending.write(start + duration, clock!);
  };
  for (const input of [starting.date, starting.time]) input.addEventListener('input', () => setEnd(length));
  for (const input of slotInputs) input.addEventListener('input', changed);
  for (const chip of durations) {
    chip.addEventListener('click', () => {
      setEnd(Number(chip.dataset['duration']));
      changed();
    });
  }
}

function showLength(duration: number): void {
  length = duration;
  for (const chip of durations) chip.ariaPressed = String(Number(chip.dataset['duration']) === duration);
}
