import type { CreateBookingDto } from '@booking-service/client';
import type { Slot } from './bookings.js';
import { byId, make } from './dom.js';
import { offsetText, type Zone } from './time.js';

/** A time of the form, and where the clock shows it twice, which of the two it is. */
interface Time {
  readonly input: HTMLInputElement;
  readonly offset: HTMLSelectElement;
}

const form = byId('form') as HTMLFormElement;
const more = byId('more') as HTMLDetailsElement;
const members = byId('members') as HTMLTextAreaElement;
export const [resource, name] = [byId('resource'), byId('name')] as [HTMLInputElement, HTMLInputElement];
const [start, end] = ['start', 'end'].map((id) => ({ input: byId(id), offset: byId(`${id}-offset`) })) as [Time, Time];
/** Milliseconds from the start to the end that were last entered. */
let length = 0;

export class Fault {
  constructor(
    readonly input: HTMLElement,
    readonly text: string,
  ) {}
}

export function clearInputs(nameBefore: string): void {
  form.reset();
  more.open = false;
  name.value = nameBefore;
}

export function writeSlot(slot: Slot, zone: Zone): void {
  resource.value = slot.resource;
  writeTime(start, slot.start, zone);
  writeTime(end, slot.end, zone);
  length = slot.end - slot.start;
}

/** The entered slot, or what is wrong with its times. */
export function readSlot(zone: Zone): Slot | Fault {
  const [from, to] = [readTime(start, zone), readTime(end, zone)];
  if (typeof from === 'string') return new Fault(start.input, from);
  if (typeof to === 'string') return new Fault(end.input, to);
  if (from >= to) return new Fault(end.input, 'The end must be after the start.');
  length = to - from;
  return { resource: resource.value, start: from, end: to };
}

/** Lets the end follow a start that was entered. */
export function followStart(target: EventTarget | null, zone: Zone): void {
  const from = target === start.input || target === start.offset ? readTime(start, zone) : '';
  if (typeof from === 'number' && length > 0) writeTime(end, from + length, zone);
}

export function lockInputs(isLocked: boolean): void {
  for (const input of form.querySelectorAll<HTMLInputElement>('input, select, textarea')) input.disabled = isLocked;
}

/** Points out the input that is at fault, or none. */
export function pointOut(fault?: Fault): void {
  for (const input of form.querySelectorAll('[aria-invalid]')) input.ariaInvalid = null;
  if (fault === undefined) return;
  more.open ||= fault.input === members;
  fault.input.ariaInvalid = 'true';
  fault.input.focus();
}

/** What the form would book, or what is wrong with it. */
export function readPayload(zone: Zone): CreateBookingDto | Fault {
  if (resource.value === '') return new Fault(resource, 'Enter what is to be booked.');
  const slot = readSlot(zone);
  if (slot instanceof Fault) return slot;
  const own = objectOf(members.value.trim() || '{}');
  if (own === undefined) return new Fault(members, 'This is not a JSON object.');
  const [from, to] = [slot.start, slot.end].map((at) => new Date(at).toISOString()) as [string, string];
  const payload = { ...own, slot: { resource_id: slot.resource, start: from, end: to } };
  if (name.value === '') return payload;
  const guest = own['guest'] ?? {};
  return { ...payload, guest: isObject(guest) ? { name: name.value, ...guest } : guest };
}

function writeTime(time: Time, instant: number, zone: Zone): void {
  time.input.value = zone.input(instant);
  offerOffsets(time, zone);
  time.offset.value = offsetText(zone.offset(instant));
}

function readTime(time: Time, zone: Zone): number | string {
  offerOffsets(time, zone);
  return zone.parse(time.input.value, time.offset.value);
}

/** Where the clock shows a time twice, a choice between the two appears. */
function offerOffsets({ input, offset }: Time, zone: Zone): void {
  const instants = zone.instants(Date.parse(`${input.value.slice(0, 16)}Z`));
  const offsets = instants.length > 1 ? instants.map((instant) => offsetText(zone.offset(instant))) : [];
  offset.hidden = offsets.length === 0;
  if (Array.from(offset.options, ({ value }) => value).join() === ['', ...offsets].join()) return;
  const text = (value: string, index: number) => `the ${index === 0 ? 'first' : 'second'} (UTC${value})`;
  const options = offsets.map((value, index) => make('option', { value }, text(value, index)));
  offset.replaceChildren(make('option', { value: '' }, 'Occurs twice …'), ...options);
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
