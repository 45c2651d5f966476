import type { NewBooking } from '@booking-service/client';
import type { Slot } from './bookings.js';
import { byId } from './dom.js';
import type { Zone } from './time.js';

/** A time of the form, and where the clock shows it twice, which of the two it is. */
interface Time {
  readonly input: HTMLInputElement;
  readonly which: HTMLSelectElement;
}

export const form = byId('form') as HTMLFormElement;
export const resource = byId('resource') as HTMLInputElement;
export const name = byId('name') as HTMLInputElement;
const members = byId('members') as HTMLTextAreaElement;
const start = timeOf('start');
const end = timeOf('end');
for (const { which } of [start, end])
  which.append(new Option('Occurs twice …'), new Option('the first'), new Option('the second'));
/** Milliseconds from the start to the end that were last entered. */
let length = 0;

export function lockInputs(isLocked: boolean): void {
  for (const input of form.querySelectorAll<HTMLInputElement>('input, select, textarea')) input.disabled = isLocked;
}

export function writeSlot(slot: Slot, zone: Zone): void {
  resource.value = slot.resource;
  writeTime(start, slot.start, zone);
  writeTime(end, slot.end, zone);
}

export function readSlot(zone: Zone): Slot | undefined {
  const from = readTime(start, zone);
  const to = readTime(end, zone);
  if (from === undefined || to === undefined) return undefined;
  end.input.setCustomValidity(from < to ? '' : 'The end must be after the start.');
  if (from >= to) return undefined;
  length = to - from;
  return { resource: resource.value, start: from, end: to };
}

/** Asks anew which of two times an entered one is, and lets the end follow the start. */
export function followInput(target: EventTarget | null, zone: Zone): void {
  for (const { input, which } of [start, end]) if (target === input) which.selectedIndex = 0;
  const from = target === start.input || target === start.which ? readTime(start, zone) : undefined;
  if (from !== undefined && length > 0) writeTime(end, from + length, zone);
}

export function readPayload(zone: Zone): NewBooking | undefined {
  const slot = readSlot(zone);
  const own = objectOf(members.value.trim() || '{}');
  resource.setCustomValidity(resource.value === '' ? 'Enter what is to be booked.' : '');
  members.setCustomValidity(own ? '' : 'This is not a JSON object.');
  if (slot === undefined || own === undefined || !form.checkValidity()) return undefined;
  const { guest = {} } = own;
  const named = guest instanceof Object && { guest: Object.assign({ name: name.value }, guest) };
  const times = { start: new Date(slot.start), end: new Date(slot.end) };
  return { ...own, ...(name.value !== '' && named), slot: { resource_id: slot.resource, ...times } };
}

/** Focuses the first input at fault. @returns what is wrong with it */
export function pointOutFault(): string {
  const input = form.querySelector<HTMLInputElement>(':invalid')!;
  input.closest('details')?.setAttribute('open', '');
  input.focus();
  return input.validationMessage;
}

function timeOf(id: string): Time {
  return { input: byId(id) as HTMLInputElement, which: byId(`${id}-offset`) as HTMLSelectElement };
}

function writeTime({ input, which }: Time, instant: number, zone: Zone): void {
  input.value = zone.input(instant);
  which.selectedIndex = 1 + zone.parse(input.value).findLastIndex((one) => one <= instant);
}

function readTime({ input, which }: Time, zone: Zone): number | undefined {
  const instants = zone.parse(input.value);
  const isTwice = instants.length > 1;
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
