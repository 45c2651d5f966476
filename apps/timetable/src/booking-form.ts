import {
  type BookingDto,
  type BookingsClient,
  BookingsError,
  type CreateBookingDto,
  ForbiddenError,
  InvalidBookingError,
  ProblemError,
  SlotTakenError,
} from '@booking-service/client';
import { byId, make } from './dom.js';
import { linkTimes, lockInputs, moveSlot, readPayload, readSlot, resource, writeSlot } from './form-inputs.js';
import type { Grid } from './grid.js';
import { isolated, labelOf } from './label.js';
import type { Schedule, Slot } from './schedule.js';
import { showToast } from './status.js';
import { durationText, pastText, timesText, whenText } from './texts.js';
import type { Zone } from './zone.js';

/** What the form needs from the rest of the page. */
export interface FormSurroundings {
  readonly client: BookingsClient;
  readonly schedule: Schedule;
  readonly grid: Grid;
  /** @param isOpen whether this is the form that is open, and not one that was closed while it was sent */
  readonly booked: (booking: BookingDto, isOpen: boolean) => void;
  readonly failed: (error: ProblemError) => void;
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
export function bookingForm({ client, schedule, grid, booked, failed }: FormSurroundings) {
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
      // It may be out of sight.
      grid.reveal('chosen');
    },
  );
  resource.addEventListener('change', () => {
    // A name may begin or end with blanks, but hardly a new one.
    if (!schedule.hasResource(resource.value)) resource.value = resource.value.trim();
    showSlot();
  });
  resource.addEventListener('focus', () => {
    const names = [...schedule.resources].toSorted();
    byId('resources').replaceChildren(...names.map((value) => make('option', { value })));
  });

  /** Opens an empty form. */
  function open(slot: Slot): void {
    // What may be booked is found out first.
    if (draft?.unclear) return;
    draft = { zone: grid.axis.span.zone, isSending: false };
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
    grid.mark('chosen');
    grid.mark('held');
  }

  /** Shows how long the slot is and what it overlaps, by what is known now, or what is wrong with its times. */
  function showSlot(): void {
    if (draft === undefined) return;
    const { zone } = draft;
    byId('new-resource').hidden = resource.value === '' || schedule.hasResource(resource.value);
    const slot = readSlot(zone);
    if (typeof slot === 'string') {
      sayOfSlot(slot, true);
      grid.mark('chosen');
      return;
    }
    const overlap = overlapText(slot, zone);
    const text = `${durationText(slot.end - slot.start)} in ${zone.name.replaceAll('_', ' ')}${pastText(slot)}`;
    sayOfSlot(overlap ? `${text} · ${overlap}` : text, overlap !== undefined);
    byId('panel-title').textContent = whenText(zone, slot.start, slot.end);
    grid.mark('chosen', slot);
  }

  function sayOfSlot(text: string, isWarning: boolean): void {
    if (length.textContent !== text) length.textContent = text;
    length.classList.toggle('warn', isWarning);
  }

  function overlapText({ resource: name, start, end }: Slot, zone: Zone): string | undefined {
    const [other] = schedule.booked(name, start, end);
    if (other === undefined) return schedule.isUnread({ start, end }) ? 'Not read: may be taken' : undefined;
    const times = timesText(zone, other.start, other.end, zone.date(start));
    return `Overlaps ${isolated(labelOf(other.booking))}, ${times}`;
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
      const booking = await client.create(payload, { idempotencyKey: own.idempotencyKey });
      booked(booking, draft === own);
    } catch (error) {
      fail(error, own, payload);
    }
    own.isSending = false;
    if (draft === own) settle();
  }

  function fail(error: unknown, own: Draft, payload: CreateBookingDto): void {
    if (error instanceof ProblemError) failed(error);
    // A token that cannot book has closed the form.
    if (error instanceof ForbiddenError) return;
    const isUnclear = mayBeBooked(error);
    const text = isUnclear ? fault.dataset['unclear']! : rejectionText(error, own.zone);
    if (draft !== own) {
      showToast(text);
      return;
    }
    if (error instanceof BookingsError) own.idempotencyKey = error.idempotencyKey;
    own.unclear = isUnclear ? payload : undefined;
    if (error instanceof SlotTakenError && error.conflictingSlot) {
      const { resource_id: name, start, end } = error.conflictingSlot;
      grid.mark('held', { resource: name, start: Date.parse(start), end: Date.parse(end) });
      grid.reveal('held');
    }
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
    grid.mark('held');
  }

  return { open, move, close, showSlot, isOpen: () => draft !== undefined };
}

/** Whether a create that failed may have booked nevertheless. */
function mayBeBooked(error: unknown): boolean {
  if (error instanceof TypeError) return false;
  return !(error instanceof ProblemError) || error.status >= 500 || error.status === 408;
}

function rejectionText(error: unknown, zone: Zone): string {
  if (!(error instanceof ProblemError)) return (error as TypeError).message;
  let text = error.problem.detail;
  if (error instanceof SlotTakenError && error.conflictingSlot) {
    const { resource_id: name, start, end } = error.conflictingSlot;
    text = `Taken: ${isolated(name)} is booked ${whenText(zone, Date.parse(start), Date.parse(end))}.`;
  }
  if (error instanceof InvalidBookingError) {
    const errors = error.errors.map(({ pointer, detail }) => `${pointer} ${detail}`);
    text = `The service rejected this: ${errors.join('; ')}.`;
  }
  return `${text} Nothing was booked.`;
}
