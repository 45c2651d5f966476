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
import type { Bookings, Slot } from './bookings.js';
import { showToast } from './connection.js';
import { byId, make, write } from './dom.js';
import type { Grid } from './grid.js';
import * as inputs from './inputs.js';
import { isolated, lengthText, secondText, timesText, whenText } from './texts.js';
import type { Zone } from './time.js';

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
export class BookingForm {
  #draft: Draft | undefined;

  /**
   * @param booked `isOpen` says whether this is the form that is open, and not one that was closed while it was sent
   * @param failed called with what the service rejected
   */
  constructor(
    private readonly client: BookingsClient,
    private readonly bookings: Bookings,
    private readonly grid: Grid,
    private readonly booked: (booking: BookingDto, isOpen: boolean) => void,
    private readonly failed: (error: ProblemError) => void,
  ) {
    const { resource } = inputs;
    byId('form').addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#submit();
    });
    byId('form').addEventListener('input', ({ target }) => {
      if (this.#draft) inputs.followStart(target, this.#draft.zone);
      this.showSlot();
      grid.reveal('chosen');
    });
    resource.addEventListener('change', () => {
      // A name may begin or end with blanks, but hardly a new one.
      if (!bookings.has(resource.value)) resource.value = resource.value.trim();
      this.showSlot();
    });
    resource.addEventListener('focus', () => {
      const names = bookings.resources.toSorted();
      byId('resources').replaceChildren(...names.map((value) => make('option', { value })));
    });
  }

  get isOpen(): boolean {
    return this.#draft !== undefined;
  }

  /** Opens a form, or moves the slot of the open one, unless it is locked: what may be booked is found out first. */
  open(slot: Slot): void {
    const isOpen = this.#draft !== undefined;
    this.#draft ??= { zone: this.grid.span.zone, isSending: false };
    const { zone, isSending, unclear } = this.#draft;
    if (!isOpen) {
      this.#settle();
      this.#clear();
      inputs.clearInputs();
    }
    if (!isSending && !unclear) inputs.writeSlot(slot, zone);
    this.showSlot();
    if (isOpen) return;
    this.grid.reveal('chosen');
    byId('panel').scrollIntoView({ block: 'nearest' });
    const first = slot.resource === '' ? inputs.resource : inputs.name;
    first.focus();
    first.select();
  }

  /** Forgets the form, and clears its marks in the grid. */
  close(): void {
    this.#draft = undefined;
    for (const name of ['chosen', 'held'] as const) this.grid.mark(name);
  }

  /** Shows how long the slot is and what it overlaps, by what is known now, or what is wrong with its times. */
  showSlot(): void {
    if (this.#draft === undefined) return;
    const { zone } = this.#draft;
    const slot = inputs.readSlot(zone);
    const isFault = slot instanceof inputs.Fault;
    const warning = isFault ? slot.text : this.#overlapText(slot, zone);
    const isNew = inputs.resource.value !== '' && !this.bookings.has(inputs.resource.value);
    const texts = [isFault ? undefined : lengthText(zone, slot), warning, isNew ? 'A new resource' : undefined];
    write(byId('panel-title'), isFault ? 'New booking' : whenText(zone, slot));
    write(byId('length'), texts.filter(Boolean).join(' · '));
    byId('length').classList.toggle('warn', warning !== undefined);
    this.grid.mark('chosen', isFault ? undefined : slot);
  }

  #overlapText(slot: Slot, zone: Zone): string | undefined {
    const [other] = this.bookings.booked(slot.resource, slot);
    if (other === undefined) return this.bookings.isUnread(slot) ? 'Not read: may be taken' : undefined;
    return `Overlaps ${isolated(other.label)}, ${timesText(zone, other, zone.date(slot.start))}`;
  }

  async #submit(): Promise<void> {
    const own = this.#draft;
    if (own === undefined || own.isSending) return;
    this.#clear();
    const payload = own.unclear ?? inputs.readPayload(own.zone);
    if (payload instanceof inputs.Fault) {
      // A fault of the times is said already.
      if (!byId('length').textContent.startsWith(payload.text)) this.#say(payload.text);
      return inputs.pointOut(payload);
    }
    own.isSending = true;
    this.#settle();
    try {
      const booking = await this.client.create(payload, { idempotencyKey: own.idempotencyKey, maxRetries: 0 });
      this.booked(booking, this.#draft === own);
    } catch (error) {
      this.#fail(error, own, payload);
    }
    own.isSending = false;
    if (this.#draft === own) this.#settle();
  }

  #fail(error: unknown, own: Draft, payload: CreateBookingDto): void {
    if (error instanceof ProblemError) this.failed(error);
    // A token that cannot book has closed the form.
    if (error instanceof ForbiddenError) return;
    const isUnclear = mayBeBooked(error);
    const text = isUnclear ? byId('fault').dataset['unclear']! : rejectionText(error, own.zone);
    if (this.#draft !== own) return showToast(text);
    if (error instanceof BookingsError) own.idempotencyKey = error.idempotencyKey;
    own.unclear = isUnclear ? payload : undefined;
    this.grid.mark('held', heldBy(error));
    this.grid.reveal('held');
    this.#say(text);
  }

  #say(text: string): void {
    const fault = byId('fault');
    fault.textContent = text;
    fault.hidden = false;
    fault.scrollIntoView({ block: 'nearest' });
  }

  /** Shows the state of the draft. The focus stays inside the form: a disabled input would lose it. */
  #settle(): void {
    const { isSending = false, unclear } = this.#draft ?? {};
    const book = byId('book');
    if (isSending) book.focus({ preventScroll: true });
    inputs.lockInputs(isSending || unclear !== undefined);
    book.ariaDisabled = String(isSending);
    book.textContent = isSending ? 'Booking…' : unclear ? 'Find out' : 'Book';
  }

  #clear(): void {
    byId('fault').hidden = true;
    inputs.pointOut();
    this.grid.mark('held');
  }
}

/** Whether a create that failed may have booked nevertheless. */
function mayBeBooked(error: unknown): boolean {
  if (error instanceof TypeError) return false;
  return !(error instanceof ProblemError) || error.status >= 500 || error.status === 408;
}

/** The slot that conflicts with a create. */
function heldBy(error: unknown): Slot | undefined {
  const slot = error instanceof SlotTakenError ? error.conflictingSlot : undefined;
  return slot && { resource: slot.resource_id, start: Date.parse(slot.start), end: Date.parse(slot.end) };
}

function rejectionText(error: unknown, zone: Zone): string {
  if (!(error instanceof ProblemError)) return (error as TypeError).message;
  const held = heldBy(error);
  if (held) return `Taken: ${isolated(held.resource)} is booked ${whenText(zone, held)}. Nothing was booked.`;
  let text = error.status === 429 ? 'The service limits requests.' : error.problem.detail;
  if (error instanceof InvalidBookingError) {
    text = `The service rejected this: ${error.errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ')}.`;
  }
  const { retryAfter } = error;
  const again = retryAfter === undefined ? '' : ` Try again at ${secondText(zone, Date.now() + retryAfter * 1_000)}.`;
  return `${text} Nothing was booked.${again}`;
}
