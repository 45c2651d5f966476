/** The inputs of the form: their slot, their payload, and their faults. */

import type { NewBooking } from '@booking-service/client';
import type { Slot } from './bookings.js';
import { byId } from './dom.js';
import type { Zone } from './time.js';

/** An input for a local time, and a choice between two instants if the clock shows that time twice. */
interface TimeInput {
  readonly input: HTMLInputElement;
  readonly which: HTMLSelectElement;
}

export const form = byId('form') as HTMLFormElement;
export const resource = byId('resource') as HTMLInputElement;
export const name = byId('name') as HTMLInputElement;
const members = byId('members') as HTMLTextAreaElement;
const start = timeInput('start');
const end = timeInput('end');
/** Milliseconds between the last valid start and end. */
let length = 0;

export function lockInputs(isLocked: boolean): void {
  for (const input of form.querySelectorAll<HTMLInputElement>('input, select, textarea')) input.disabled = isLocked;
}

export function writeSlot(slot: Slot, zone: Zone): void {
  resource.value = slot.resource;
  writeTime(start, slot.start, zone);
  writeTime(end, slot.end, zone);
}

/** Reads the slot, and sets the validity of its times. @returns undefined if a time is invalid */
export function readSlot(zone: Zone): Slot | undefined {
  const from = readTime(start, zone);
  const to = readTime(end, zone);
  if (from === undefined || to === undefined) return undefined;
  end.input.setCustomValidity(from < to ? '' : 'The end must be after the start.');
  if (from >= to) return undefined;
  length = to - from;
  return { resource: resource.value, start: from, end: to };
}

/** Reacts to a changed input: asks again which of two instants is meant, and moves the end along with the start. */
export function followInput(target: EventTarget | null, zone: Zone): void {
  for (const { input, which } of [start, end]) if (target === input) which.selectedIndex = 0;
  const from = target === start.input || target === start.which ? readTime(start, zone) : undefined;
  if (from !== undefined && length > 0) writeTime(end, from + length, zone);
}

/** Reads the payload, and sets the validity of all inputs. @returns undefined if one is invalid */
export function readPayload(zone: Zone): NewBooking | undefined {
  const slot = readSlot(zone);
  const payload = objectOf(members.value.trim() || '{}');
  resource.setCustomValidity(resource.value === '' ? 'Enter what is to be booked.' : '');
  members.setCustomValidity(faultOfMembers(payload));
  if (slot === undefined || payload === undefined || !form.checkValidity()) return undefined;
  if (name.value !== '') payload['guest'] = { name: name.value, ...(payload['guest'] as object | undefined) };
  const times = { start: new Date(slot.start), end: new Date(slot.end) };
  return { ...payload, slot: { resource_id: slot.resource, ...times } };
}

/** The error of the JSON input: not an object, or in conflict with another input; empty if there is none. */
function faultOfMembers(payload: Record<string, unknown> | undefined): string {
  if (payload === undefined) return 'This is not a JSON object.';
  if (Object.hasOwn(payload, 'slot')) return 'The slot is entered above, not here.';
  if (name.value === '') return '';
  const { guest = {} } = payload;
  const isObject = guest instanceof Object && !Array.isArray(guest);
  if (!isObject) return 'The name cannot be added to a guest that is not an object.';
  return Object.hasOwn(guest, 'name') ? 'The name is entered above, not here.' : '';
}

/** Focuses the first invalid input. @returns its fault */
export function pointOutFault(): string {
  const input = form.querySelector<HTMLInputElement>(':invalid')!;
  input.closest('details')?.setAttribute('open', '');
  input.focus();
  return input.validationMessage;
}

function timeInput(id: string): TimeInput {
  return { input: byId(id) as HTMLInputElement, which: byId(`${id}-offset`) as HTMLSelectElement };
}

function writeTime({ input, which }: TimeInput, instant: number, zone: Zone): void {
  input.value = zone.input(instant);
  which.selectedIndex = 1 + zone.parse(input.value).findLastIndex((each) => each <= instant);
}

function readTime({ input, which }: TimeInput, zone: Zone): number | undefined {
  const instants = zone.parse(input.value);
  const isTwice = instants.length > 1;
  // The first option only asks which instant is meant.
  const instant = instants[isTwice ? which.selectedIndex - 1 : 0];
  const fault = input.value === '' ? 'Enter a date and a time.' : 'The clock skips this time: choose another one.';
  which.hidden = !isTwice;
  input.setCustomValidity(instants.length > 0 ? '' : fault);
  which.setCustomValidity(isTwice && instant === undefined ? 'This time occurs twice: choose which one.' : '');
  return instant;
}

function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    return text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
