import type { CreateBookingDto, FaultDto } from '@booking-service/client';
import { byId, make } from './dom.js';
import { type FieldInput, fieldInput, setAt } from './fields.js';
import type { Slot } from './schedule.js';
import { type Field, namesOf, OPEN_FIELDS } from './schema.js';
import { inputOf, readTimes, resource, slotControls, writeTimes } from './slot-inputs.js';
import type { Zone } from './zone.js';

const form = byId('form') as HTMLFormElement;
const more = byId('more') as HTMLDetailsElement;
const members = byId('members') as HTMLTextAreaElement;
let inputs: FieldInput[] = [];

/** Fills in the slot, and clears the rest of the form. */
export function writeSlot(slot: Slot, zone: Zone): void {
  form.reset();
  more.open = false;
  resource.value = slot.resource;
  writeTimes(slot, zone);
  (slot.resource === '' ? resource : inputOf.start).focus({ preventScroll: true });
}

/** @param fields of the deployment's schema; undefined if it accepts any members */
export function showFields(fields: readonly Field[] | undefined): void {
  inputs = (fields ?? OPEN_FIELDS).map(fieldInput);
  more.hidden = fields !== undefined;
  byId('fields').replaceChildren(...inputs.map(({ element }) => element));
}

export function focusFields(): void {
  inputs[0]?.input.focus({ preventScroll: true });
}

export function lockInputs(isLocked: boolean): void {
  for (const input of [...slotControls, members, ...inputs.map(({ input }) => input)]) input.disabled = isLocked;
}

/** @returns undefined if there are faults, which are then shown */
export function readPayload(zone: Zone): CreateBookingDto | undefined {
  const { start, end } = readTimes(zone);
  if (resource.value === '') accuse(resource, 'Enter a resource.');
  if (typeof start === 'string') accuse(inputOf.start, start);
  if (typeof end === 'string') accuse(inputOf.end, end);
  else if (typeof start === 'number' && start >= end) accuse(inputOf.end, 'The end must be after the start.');
  const payload: Record<string, unknown> = {};
  for (const { field, input, value } of inputs) {
    try {
      const entered = value();
      if (input.validity.badInput) accuse(input, 'This is not a number.');
      else if (entered === undefined && field.required) accuse(input, 'This is required.');
      if (entered !== undefined) setAt(payload, field.path, entered);
    } catch {
      accuse(input, 'This is not JSON.');
    }
  }
  const own = more.hidden ? {} : objectOf(members.value.trim() || '{}');
  if (own === undefined) accuse(members, 'This is not a JSON object.');
  const first = form.querySelector<HTMLElement>('[aria-invalid]');
  first?.focus();
  if (first !== null || typeof start === 'string' || typeof end === 'string') return undefined;
  const instant = (at: number) => new Date(at).toISOString();
  return { ...payload, ...own, slot: { resource_id: resource.value, start: instant(start), end: instant(end) } };
}

/** Shows the service's faults at their inputs. @returns those without an input */
export function showFaults(faults: readonly FaultDto[]): string[] {
  return faults.flatMap(({ pointer, detail }) => {
    const input = inputAt(pointer);
    if (input === undefined) return [`${pointer} ${detail}.`];
    accuse(input, `This ${detail.replace('<=', 'at most').replace('>=', 'at least')}.`);
    return [];
  });
}

export function clearFaults(): void {
  for (const wrong of form.querySelectorAll('.wrong')) wrong.remove();
  for (const input of form.querySelectorAll('[aria-invalid]')) {
    input.removeAttribute('aria-invalid');
    input.removeAttribute('aria-errormessage');
  }
}

/** The input for the member at a JSON Pointer, or for a member that contains it. */
function inputAt(pointer: string): FieldInput['input'] | undefined {
  const names = namesOf(pointer);
  if (names[0] === 'slot') return { start: inputOf.start, end: inputOf.end }[names[1] ?? ''] ?? resource;
  const own = inputs.find(({ field }) => field.path.every((name, index) => names[index] === name));
  return own?.input ?? (members.value === '' ? undefined : members);
}

function accuse(input: HTMLElement, text: string): void {
  const wrong = make('span', { className: 'wrong', id: `${input.id}-wrong`, role: 'alert' }, text);
  input.ariaInvalid = 'true';
  input.setAttribute('aria-errormessage', wrong.id);
  // Times have two inputs side by side: the fault is below them.
  if (input.closest('.times')) input.parentElement!.append(wrong);
  else input.after(wrong);
  if (input === members) more.open = true;
}

function objectOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // JSON that begins with anything else is not an object.
    return text.startsWith('{') ? (value as object) : undefined;
  } catch {
    return undefined;
  }
}
