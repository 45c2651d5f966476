import {
  type BookingDto,
  type BookingsClient,
  BookingsError,
  type CreateBookingDto,
  ProblemError,
} from '@booking-service/client';
import { byId, make } from './dom.js';
import { faultOf } from './form-faults.js';
import {
  clearFaults,
  lockInputs,
  readPayload,
  readSlot,
  showFaults,
  showFields,
  slotInputs,
  writeSlot,
} from './form-inputs.js';
import type { Slot } from './schedule.js';
import type { Field } from './schema.js';
import { durationText } from './span.js';
import type { Zone } from './zone.js';

/** What the form needs from the rest of the page. */
export interface FormSurroundings {
  readonly client: BookingsClient;
  zone(): Zone;
  resources(): string[];
  /** The fields of the deployment's schema; undefined if it accepts any members. */
  fields(): Promise<readonly Field[] | undefined>;
  /** Describes a known booking that overlaps a slot. */
  overlapping(slot: Slot): string | undefined;
  chosen(slot?: Slot): void;
  /** The service reported the slot that conflicts. */
  held(slot?: Slot): void;
  booked(booking: BookingDto): void;
  failed(error: ProblemError): void;
}

/** What is kept of a form between attempts to send it. */
interface Draft {
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
  let draft: Draft = {};
  let isSending = false;

  byId('form').addEventListener('submit', (event) => {
    event.preventDefault();
    void submit();
  });
  for (const input of slotInputs) input.addEventListener('input', showSlot);
  slotInputs[0]!.addEventListener('focus', () => {
    byId('resources').replaceChildren(...around.resources().map((value) => make('option', { value })));
  });

  /** Opens an empty form. */
  async function open(slot: Slot): Promise<void> {
    const own = (draft = {});
    settle();
    clear();
    writeSlot(slot, around.zone());
    showSlot();
    const fields = await around.fields();
    if (draft === own) showFields(fields);
  }

  /** Clears the marks of the form in the grid. */
  function close(): void {
    draft = {};
    around.chosen();
    around.held();
  }

  function showSlot(): void {
    const zone = around.zone();
    const slot = readSlot(zone);
    const overlapping = slot && around.overlapping(slot);
    const duration = slot ? `${durationText(slot.end - slot.start)} ` : '';
    length.textContent = overlapping ? `⚠ ${overlapping}` : `${duration}in ${zone.name}`;
    length.classList.toggle('warn', overlapping !== undefined);
    around.chosen(slot);
  }

  async function submit(): Promise<void> {
    if (isSending) return;
    clear();
    const payload = draft.unclear ?? readPayload(around.zone());
    if (payload === undefined) return;
    const own = draft;
    isSending = true;
    lockInputs(true);
    book.disabled = true;
    book.textContent = 'Booking…';
    try {
      const booking = await around.client.create(payload, { idempotencyKey: own.idempotencyKey });
      around.booked(booking);
    } catch (error) {
      if (draft === own) fail(error, payload);
    }
    isSending = false;
    if (draft !== own) return;
    settle();
    if (!fault.hidden) book.focus({ preventScroll: true });
  }

  function fail(error: unknown, payload: CreateBookingDto): void {
    const { text, faults = [], isOpen, held } = faultOf(error, around.zone());
    if (error instanceof BookingsError) draft.idempotencyKey = error.idempotencyKey;
    draft.unclear = isOpen ? payload : undefined;
    if (held) around.held(held);
    fault.textContent = [text, ...showFaults(faults)].join(' ');
    fault.hidden = false;
    fault.scrollIntoView({ block: 'nearest' });
    if (error instanceof ProblemError) around.failed(error);
  }

  function settle(): void {
    lockInputs(draft.unclear !== undefined);
    book.disabled = false;
    book.textContent = draft.unclear ? 'Find out' : 'Book';
  }

  function clear(): void {
    fault.hidden = true;
    around.held();
    clearFaults();
  }

  return { open, close };
}
