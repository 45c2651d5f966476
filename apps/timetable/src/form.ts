import { type BookingDto, BookingsError, ForbiddenError, ProblemError } from '@booking-service/client';
import { bookings, type Slot } from './bookings.js';
import { client } from './connection.js';
import { byId, kept, showToast, write } from './dom.js';
import { failureOf } from './failures.js';
import * as grid from './grid.js';
import * as inputs from './inputs.js';
import { isolated, lengthText, timesText, whenText } from './texts.js';
import type { Zone } from './time.js';
import { span } from './view.js';

const NAME_KEY = 'bookings-name';

/** The button of a form. An unclear one may be booked: what was sent is locked, and may only be sent again. */
const BUTTONS = { open: 'Book', sending: 'Booking…', unclear: 'Send again' };

/** One form from its opening to its end. Another one that is opened meanwhile shares nothing with it. */
interface Draft {
  /** The clock on which its times are read, whatever clock the page has by then. */
  readonly zone: Zone;
  state: keyof typeof BUTTONS;
  /** The booked slot for which the service has rejected this one, until another is entered. */
  held?: Slot | undefined;
  /** The key that the client generated for the first attempt: with it, the form books only once. */
  idempotencyKey?: string | undefined;
}

/** The form for a new booking. A form creates at most one booking, however often it is sent. */
let draft: Draft | undefined;

interface Listeners {
  /** @param isOpen whether by the open form, and not by one that was closed while it was sent */
  booked(booking: BookingDto, isOpen: boolean): void;
  rejected(error: ProblemError): void;
}
let listeners: Listeners;

export function onForm(own: Listeners): void {
  listeners = own;
}

export function isFormOpen(): boolean {
  return draft !== undefined;
}

/** Opens a form, or moves the slot of the open one, unless it is locked: what may be booked is found out first. */
export function openForm(slot: Slot): void {
  const isNew = draft === undefined;
  draft ??= beginDraft();
  // A drag does not move the slot that is being booked.
  if (draft.state !== 'open') return showSlot();
  inputs.writeSlot(slot, draft.zone);
  clear();
  if (!isNew) return;
  grid.reveal('chosen');
  const first = slot.resource === '' ? inputs.resource : inputs.name;
  first.focus();
  first.select();
}

export function closeForm(): void {
  draft = undefined;
  grid.mark('chosen');
  grid.mark('open');
}

/** Says what the form would book, and marks it in the grid. */
export function showSlot(): void {
  if (draft === undefined) return;
  const { zone, state } = draft;
  const { value } = inputs.resource;
  const slot = inputs.readSlot(zone);
  const warning = slot ? warningOf(slot, draft) : '';
  const isKnown = value === '' || bookings.resources.includes(value);
  const isPast = slot !== undefined && slot.end <= Date.now();
  const unknown = isKnown ? '' : ` new resource ${isolated(value.trim())}`;
  write('panel-title', slot ? whenText(zone, slot) : 'New booking');
  write('length', [slot ? lengthText(zone, slot) : '', warning].filter(Boolean).join(' · '));
  byId('length').classList.toggle('warn', warning !== '');
  if (state === 'open') write('book', `Book${unknown}${isPast ? ' in the past' : ''}`);
  byId('book').className = isKnown && !isPast ? 'primary' : 'warn';
  grid.mark('chosen', slot);
}

function beginDraft(): Draft {
  const own: Draft = { zone: span.zone, state: 'open' };
  enter(own, 'open');
  inputs.form.reset();
  inputs.name.value = kept(NAME_KEY);
  byId('resources').replaceChildren(...bookings.resources.toSorted().map((name) => new Option(name, name)));
  return own;
}

/** Bookings that overlap a slot, and whether the service has rejected it for them; or that it was not read. */
function warningOf(slot: Slot, { zone, held }: Draft): string {
  const date = zone.date(slot.start);
  const others = bookings.booked(slot.resource, slot);
  const overlaps = others.map((one) => `${isolated(one.label)}, ${timesText(zone, one, date)}`);
  if (held && others.length === 0) overlaps.push(timesText(zone, held, date));
  if (overlaps.length === 0) return bookings.isUnread(slot) ? 'Not read: may be taken' : '';
  return `${held ? 'Taken, nothing was booked. ' : ''}Overlaps ${overlaps.join('; ')}`;
}

async function submit(): Promise<void> {
  const own = draft!;
  if (own.state === 'sending') return;
  clear();
  // A name may begin or end with blanks, but hardly a new one.
  if (!bookings.resources.includes(inputs.resource.value)) inputs.resource.value = inputs.resource.value.trim();
  const payload = inputs.readPayload(own.zone);
  if (payload === undefined) return say(inputs.pointOutFault());
  enter(own, 'sending');
  try {
    const booking = await client.create(payload, { idempotencyKey: own.idempotencyKey, maxRetries: 0 });
    kept(NAME_KEY, inputs.name.value);
    listeners.booked(booking, draft === own);
  } catch (error) {
    fail(error, own);
  }
}

function fail(error: unknown, own: Draft): void {
  if (error instanceof ProblemError) listeners.rejected(error);
  // A token that cannot book has closed the form.
  if (error instanceof ForbiddenError) return;
  const { text, isUnclear, held } = failureOf(error, own.zone);
  if (draft !== own) return showToast(text);
  if (error instanceof BookingsError) own.idempotencyKey = error.idempotencyKey;
  own.held = held;
  enter(own, isUnclear ? 'unclear' : 'open');
  grid.mark('open', held);
  grid.reveal('open');
  showSlot();
  // A clash is said with what it clashes with.
  if (held) byId('length').scrollIntoView({ block: 'nearest' });
  else say(text);
}

function say(text: string): void {
  write('fault', text);
  byId('fault').hidden = false;
  byId('fault').scrollIntoView({ block: 'nearest' });
}

function enter(own: Draft, state: Draft['state']): void {
  own.state = state;
  // The focus stays inside the form: a disabled input would lose it.
  if (state === 'sending') byId('book').focus({ preventScroll: true });
  inputs.lockInputs(state !== 'open');
  byId('book').ariaDisabled = String(state === 'sending');
  write('book', BUTTONS[state]);
}

/** Takes back what was said about the last attempt. */
function clear(): void {
  if (draft) draft.held = undefined;
  byId('fault').hidden = true;
  grid.mark('open');
  showSlot();
}

inputs.form.addEventListener('submit', (event) => {
  event.preventDefault();
  void submit();
});
inputs.form.addEventListener('input', ({ target }) => {
  if (draft) inputs.followInput(target, draft.zone);
  clear();
  grid.reveal('chosen');
});
