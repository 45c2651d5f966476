import type { CreateBookingDto } from '@booking-service/client';
import { byId, make } from './dom.js';
import type { Slot } from './schedule.js';
import { offsetText, type Zone } from './zone.js';

const form = byId('form') as HTMLFormElement;
const more = byId('more') as HTMLDetailsElement;
const name = byId('name') as HTMLInputElement;
const members = byId('members') as HTMLTextAreaElement;
export const resource = byId('resource') as HTMLInputElement;
const times = {
  start: { input: byId('start') as HTMLInputElement, offset: byId('start-offset') as HTMLSelectElement },
  end: { input: byId('end') as HTMLInputElement, offset: byId('end-offset') as HTMLSelectElement },
};

/** Milliseconds from the start to the end that were last entered. */
let length = 0;

/** Fills in the slot, and clears the rest of the form. */
export function writeSlot(slot: Slot, zone: Zone): void {
  form.reset();
  more.open = false;
  moveSlot(slot, zone);
  (slot.resource === '' ? resource : name).focus();
}

/** Fills in the slot only. */
export function moveSlot(slot: Slot, zone: Zone): void {
  resource.value = slot.resource;
  writeTime('start', slot.start, zone);
  writeTime('end', slot.end, zone);
  length = slot.end - slot.start;
}

/** The entered slot, or what is wrong with its times, which also becomes the validity of their inputs. */
export function readSlot(zone: Zone): Slot | string {
  const [start, end] = [readTime('start', zone), readTime('end', zone)];
  if (typeof start === 'string') return start;
  if (typeof end === 'string') return end;
  if (start >= end) {
    const fault = 'The end must be after the start.';
    times.end.input.setCustomValidity(fault);
    return fault;
  }
  length = end - start;
  return { resource: resource.value, start, end };
}

/**
 * Lets the end follow the start.
 *
 * @param zone undefined while no form is open
 */
export function linkTimes(zone: () => Zone | undefined, changed: () => void): void {
  const { start, end } = times;
  const moveEnd = () => {
    const clock = zone();
    const from = clock && readTime('start', clock);
    if (typeof from === 'number' && length > 0) writeTime('end', from + length, clock!);
  };
  for (const input of [start.input, start.offset]) input.addEventListener('input', moveEnd);
  for (const input of [resource, start.input, start.offset, end.input, end.offset]) {
    input.addEventListener('input', changed);
  }
}

export function lockInputs(isLocked: boolean): void {
  for (const input of form.querySelectorAll<HTMLInputElement>('input, select, textarea')) {
    input.disabled = isLocked;
  }
}

/** @returns undefined if something is wrong, which the browser then shows at its input */
export function readPayload(zone: Zone): CreateBookingDto | undefined {
  const slot = readSlot(zone);
  const own = objectOf(members.value.trim() || '{}');
  members.setCustomValidity(own ? '' : 'This is not a JSON object.');
  if (own === undefined) more.open = true;
  if (!form.reportValidity() || typeof slot === 'string') return undefined;
  const instant = (at: number) => new Date(at).toISOString();
  const payload = { ...own, slot: { resource_id: slot.resource, start: instant(slot.start), end: instant(slot.end) } };
  if (name.value === '') return payload;
  const guest = own?.['guest'] ?? {};
  return { ...payload, guest: isObject(guest) ? { name: name.value, ...guest } : guest };
}

function writeTime(which: 'start' | 'end', instant: number, zone: Zone): void {
  const { input, offset } = times[which];
  input.value = zone.input(instant);
  offerOffsets(which, zone);
  offset.value = offsetText(zone.offset(instant));
}

/** The entered instant, or what is wrong with it, which also becomes the validity of its input. */
function readTime(which: 'start' | 'end', zone: Zone): number | string {
  const { input, offset } = times[which];
  offerOffsets(which, zone);
  const time = zone.parse(input.value, offset.value);
  input.setCustomValidity(typeof time === 'string' ? time : '');
  return time;
}

/** Where the clock shows a time twice, a choice between the two appears. */
function offerOffsets(which: 'start' | 'end', zone: Zone): void {
  const { input, offset } = times[which];
  const instants = zone.instants(Date.parse(`${input.value.slice(0, 16)}Z`));
  const offsets = instants.length > 1 ? instants.map((instant) => offsetText(zone.offset(instant))) : [];
  offset.hidden = offsets.length === 0;
  if (offset.dataset['offsets'] === offsets.join()) return;
  offset.dataset['offsets'] = offsets.join();
  const named = offsets.map((value, index) => {
    return make('option', { value }, `the ${index === 0 ? 'first' : 'second'} (UTC${value})`);
  });
  offset.replaceChildren(make('option', { value: '' }, 'Occurs twice …'), ...named);
}

function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
