import {
  type BookingDto,
  type BookingsClient,
  BookingsError,
  type CreateBookingDto,
  ForbiddenError,
  ProblemError,
} from '@booking-service/client';
import { byId, make } from './dom.js';
import { faultOf } from './form-faults.js';
import { linkTimes, lockInputs, moveSlot, readPayload, readSlot, resource, writeSlot } from './form-inputs.js';
import type { Slot } from './schedule.js';
import { durationText, pastText, whenText } from './span.js';
import type { Zone } from './zone.js';

/** What the form needs from the rest of the page. */
export interface FormSurroundings {
  readonly client: BookingsClient;
  zone(): Zone;
  resources(): string[];
  isResource(name: string): boolean;
  /** Describes a known booking that overlaps a slot, on a clock. */
  overlapping(slot: Slot, zone: Zone): string | undefined;
  chosen(slot?: Slot): void;
  /** The chosen slot was entered, and may be out of sight. */
  entered(): void;
  /** The service reported the slot that conflicts. */
  held(slot?: Slot): void;
  /** @param isOpen whether this is the form that is open, and not one that was closed while it was sent */
  booked(booking: BookingDto, isOpen: boolean): void;
  failed(error: ProblemError): void;
  /** A form that was closed while it was sent has failed. */
  failedLater(text: string): void;
}

/** One form from its opening to its end. Another one that is opened meanwhile shares nothing with it. */
interface Draft {
  /** The clock on which its times are read, whatever clock the page has by then. */
  readonly zone: Zone;
  isSending: boolean;
  /** The key that the client generated for the first attempt: with it, the form books only once. */
  idempotencyKey?: string | undefined;
  /** A payload whose outcome is unknown: only this one may be sent again. */
  unclear?: CreateBookingDto | undefined;
}

/** The form for a new booking. A form creates at most one booking, however often it is sent. */
export function bookingForm(around: FormSurroundings) {
  const length = byId('length');
  const fault = byId('fault');
  const book = byId('book') as HTMLButtonElement;
  let draft: Draft | undefined;

  byId('form').addEventListener('submit', (event) => {
    event.preventDefault();
    void submit();
  });
  linkTimes(
    () => draft?.zone,
    () => {
      showSlot();
      around.entered();
    },
  );
  resource.addEventListener('change', () => {
    // A name may begin or end with blanks, but hardly a new one.
    if (!around.isResource(resource.value)) resource.value = resource.value.trim();
    showSlot();
  });
  resource.addEventListener('focus', () => {
    byId('resources').replaceChildren(...around.resources().map((value) => make('option', { value })));
  });

  /** Opens an empty form. */
  function open(slot: Slot): void {
    draft = { zone: around.zone(), isSending: false };
    settle();
    clear();
    writeSlot(slot, draft.zone);
    showSlot();
  }

  /** Changes the slot of the form that is open. @returns whether there is one whose slot may change */
  function move(slot: Slot): boolean {
    if (draft === undefined || draft.isSending || draft.unclear) return false;
    moveSlot(slot, draft.zone);
    showSlot();
    return true;
  }

  /** Forgets the form, and clears its marks in the grid. */
  function close(): void {
    draft = undefined;
    around.chosen();
    around.held();
  }

  /** Shows how long the slot is and what it overlaps, by what is known now, or what is wrong with its times. */
  function showSlot(): void {
    if (draft === undefined) return;
    const { zone } = draft;
    byId('new-resource').hidden = resource.value === '' || around.isResource(resource.value);
    const slot = readSlot(zone);
    if (typeof slot === 'string') {
      sayOfSlot(slot, true);
      around.chosen();
      return;
    }
    const overlapping = around.overlapping(slot, zone);
    const text = `${durationText(slot.end - slot.start)} in ${zone.name.replaceAll('_', ' ')}${pastText(slot)}`;
    sayOfSlot(overlapping ? `${text} · ${overlapping}` : text, overlapping !== undefined);
    byId('panel-title').textContent = whenText(zone, slot.start, slot.end);
    around.chosen(slot);
  }

  function sayOfSlot(text: string, isWarning: boolean): void {
    if (length.textContent !== text) length.textContent = text;
    length.classList.toggle('warn', isWarning);
  }

  async function submit(): Promise<void> {
    const own = draft;
    if (own === undefined || own.isSending) return;
    clear();
    const payload = own.unclear ?? readPayload(own.zone);
    if (payload === undefined) return;
    own.isSending = true;
    settle();
    try {
      const booking = await around.client.create(payload, { idempotencyKey: own.idempotencyKey });
      around.booked(booking, draft === own);
    } catch (error) {
      fail(error, own, payload);
    }
    own.isSending = false;
    if (draft === own) settle();
  }

  function fail(error: unknown, own: Draft, payload: CreateBookingDto): void {
    const { text, isOpen, held } = faultOf(error, own.zone);
    if (error instanceof ProblemError) around.failed(error);
    // A token that cannot book has closed the form.
    if (error instanceof ForbiddenError) return;
    if (draft !== own) {
      around.failedLater(text);
      return;
    }
    if (error instanceof BookingsError) own.idempotencyKey = error.idempotencyKey;
    own.unclear = isOpen ? payload : undefined;
    if (held) around.held(held);
    fault.textContent = text;
    fault.hidden = false;
    fault.scrollIntoView({ block: 'nearest' });
  }

  /** Shows the state of the draft. The focus stays inside the form: a disabled input would lose it. */
  function settle(): void {
    const { isSending = false, unclear } = draft ?? {};
    if (isSending) book.focus({ preventScroll: true });
    lockInputs(isSending || unclear !== undefined);
    book.ariaDisabled = String(isSending);
    book.textContent = unclear ? 'Find out' : 'Book';
    if (isSending) book.textContent = 'Booking…';
  }

  function clear(): void {
    fault.hidden = true;
    around.held();
  }

  return { open, move, close, showSlot };
}
