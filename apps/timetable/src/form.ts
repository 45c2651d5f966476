/** The form for a new booking. One form creates at most one booking, however often it is sent. */

import { type BookingDto, BookingsError, ForbiddenError, ProblemError } from '@booking-service/client';
import { bookings, type Slot } from './bookings.js';
import { client } from './connection.js';
import { byId, isSame, showToast, write } from './dom.js';
import { failureOf } from './failures.js';
import * as inputs from './inputs.js';
import { mark, reveal } from './marks.js';
import { isolated, lengthText, timesText, whenText } from './texts.js';
import { isOver, type Zone } from './time.js';
import { span } from './view.js';

/**
 * The states of a form, each with its button's text. In the state `unclear`, a booking may have been made: the form is
 * locked, and can only be sent again or closed.
 */
const BUTTON_TEXTS = { open: 'Book', sending: 'Booking…', unclear: 'Send again' };

/** A form's state, from opening to closing. While a closed form is still being sent, another may be open. */
interface Draft {
  /** The zone of the form's times, even if the page has changed to another zone since. */
  readonly zone: Zone;
  state: keyof typeof BUTTON_TEXTS;
  /** The booked slot that made the service reject the form's slot, until the form is changed or sent again. */
  held?: Slot | undefined;
  /** The key that the client generated for the first attempt, shared by all attempts: the form books only once. */
  idempotencyKey?: string | undefined;
}

/** The open form. */
let draft: Draft | undefined;
/** The slot and the zone for which a form was opened last; none once it has booked or was cancelled. */
let place: object = {};

interface Listeners {
  /** @param isOpen false if the form was closed while being sent */
  booked(booking: BookingDto, isOpen: boolean): void;
  rejected(error: ProblemError): void;
}
let listeners: Listeners;

export function onForm(formListeners: Listeners): void {
  listeners = formListeners;
}

/**
 * Opens a form for a slot, with what was entered when it was last open there: Back may have closed it by mistake. Or
 * moves the open form there; one that may have booked something keeps its slot.
 */
export function openForm(slot: Slot): void {
  const isNew = draft === undefined;
  draft ??= newDraft();
  if (draft.state !== 'open') return showSlot();
  const opened = { ...slot, zone: draft.zone.name };
  const isAgain = isNew && isSame(opened, place);
  place = opened;
  if (isNew && !isAgain) inputs.form.reset();
  if (!isAgain) inputs.writeSlot(slot, draft.zone);
  clearFailure();
  if (!isNew) return;
  reveal('chosen');
  (slot.resource === '' ? inputs.resource : inputs.name).focus();
}

export function closeForm(): void {
  if (draft === undefined) return;
  draft = undefined;
  mark('chosen', undefined);
  mark('open', undefined);
}

/** Describes the slot of the form, and marks it in the grid. */
export function showSlot(): void {
  if (draft === undefined) return;
  const { zone, state } = draft;
  const slot = inputs.readSlot(zone);
  // The booking that overlaps may be this form's own.
  const warning = slot && state !== 'unclear' ? warningOf(slot, draft) : '';
  write('panel-title', slot ? whenText(zone, slot) : 'New booking');
  write('length', [slot ? lengthText(zone, slot) : '', warning].filter(Boolean).join(' · '));
  byId('length').classList.toggle('warn', warning !== '');
  showButton(state, slot);
  mark('chosen', slot);
}

/** Warns, on the button, of a new resource or a time in the past. */
function showButton(state: Draft['state'], slot: Slot | undefined): void {
  const { value } = inputs.resource;
  const isKnown = value === '' || bookings.resources.includes(value);
  const isPast = slot !== undefined && isOver(slot);
  const unknown = isKnown ? '' : ` new resource ${isolated(value.trim())}`;
  const past = isPast ? ' in the past' : '';
  if (state === 'open') write('book', `${BUTTON_TEXTS.open}${unknown}${past}`);
  byId('book').className = isKnown && !isPast ? 'primary' : 'warn';
}

/** A warning that the slot is taken, overlaps known bookings, or has not been read; otherwise empty. */
function warningOf(slot: Slot, { zone, held }: Draft): string {
  const date = zone.date(slot.start);
  const others = bookings.booked(slot.resource, slot);
  const overlaps = others.map((other) => `${isolated(other.label)}, ${timesText(zone, other, date)}`);
  if (held && others.length === 0) overlaps.push(timesText(zone, held, date));
  if (overlaps.length === 0) return bookings.isUnread(slot) ? 'Not read: may be taken' : '';
  return `${held ? 'Taken, nothing was booked. ' : ''}Overlaps ${overlaps.join('; ')}`;
}

function newDraft(): Draft {
  const opened: Draft = { zone: span.zone, state: 'open' };
  setState(opened, 'open');
  byId('resources').replaceChildren(...bookings.resources.toSorted().map((name) => new Option(name, name)));
  return opened;
}

async function send(): Promise<void> {
  const sent = draft!;
  if (sent.state === 'sending') return;
  clearFailure();
  // Spaces around the name of a new resource are a slip; around a known name, they are part of it.
  if (!bookings.resources.includes(inputs.resource.value)) inputs.resource.value = inputs.resource.value.trim();
  const payload = inputs.readPayload(sent.zone);
  if (payload === undefined) return showFault(inputs.pointOutFault());
  const wasUnclear = sent.state === 'unclear';
  setState(sent, 'sending');
  try {
    const booking = await client.create(payload, { idempotencyKey: sent.idempotencyKey });
    place = {};
    listeners.booked(booking, draft === sent);
  } catch (error) {
    fail(error, sent, wasUnclear);
  }
}

function fail(error: unknown, sent: Draft, wasUnclear: boolean): void {
  const isForbidden = error instanceof ForbiddenError;
  // The listener closes the form: this token cannot book, and no other attempt may have.
  if (isForbidden && !wasUnclear) return listeners.rejected(error);
  if (error instanceof ProblemError && !isForbidden) listeners.rejected(error);
  const { text, isUnclear, held } = failureOf(error, sent.zone, wasUnclear);
  if (draft !== sent) return showToast(text);
  if (error instanceof BookingsError) sent.idempotencyKey = error.idempotencyKey;
  sent.held = held;
  setState(sent, isUnclear ? 'unclear' : 'open');
  mark('open', held);
  reveal('open');
  showSlot();
  // The warning about the slot already names the conflict.
  if (held) byId('length').scrollIntoView({ block: 'nearest' });
  else showFault(isUnclear ? `${text} “Send again” never books it twice.` : text);
}

function showFault(text: string): void {
  write('fault', text);
  byId('fault').hidden = false;
  byId('fault').scrollIntoView({ block: 'nearest' });
}

/** Removes the message about the last attempt. */
function clearFailure(): void {
  if (draft) draft.held = undefined;
  byId('fault').hidden = true;
  mark('open', undefined);
  showSlot();
}

function setState(changed: Draft, state: Draft['state']): void {
  changed.state = state;
  // The focus stays inside the form: a disabled input would lose it.
  if (state === 'sending') byId('book').focus({ preventScroll: true });
  inputs.lockInputs(state !== 'open');
  byId('book').ariaDisabled = String(state === 'sending');
  write('book', BUTTON_TEXTS[state]);
}

byId('cancel').addEventListener('click', () => (place = {}));
inputs.form.addEventListener('submit', (event) => {
  event.preventDefault();
  void send();
});
inputs.form.addEventListener('input', ({ target }) => {
  if (draft) inputs.followInput(target, draft.zone);
  clearFailure();
  reveal('chosen');
});
