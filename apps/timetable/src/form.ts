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
import { byId, keep, kept, make, showToast, write } from './dom.js';
import type { Grid } from './grid.js';
import * as inputs from './inputs.js';
import { isolated, lengthText, secondText, timesText, whenText } from './texts.js';
import type { Zone } from './time.js';

const UNCLEAR_OUTCOME = `The service did not respond, so this may have been booked. “Find out” sends it again and never books twice.`;
/** The name under which this tab last booked, in `sessionStorage`. */
const NAME_KEY = 'bookings-name';

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

  /** @param booked `isOpen` says whether this is the open form, and not one that was closed while it was sent */
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
      const options = bookings.resources.toSorted().map((value) => make('option', { value }));
      byId('resources').replaceChildren(...options);
    });
  }

  get isOpen(): boolean {
    return this.#draft !== undefined;
  }

  /** Opens a form, or moves the slot of the open one, unless it is locked: what may be booked is found out first. */
  open(slot: Slot): void {
    const { isOpen } = this;
    this.#draft ??= { zone: this.grid.span.zone, isSending: false };
    const { zone, isSending, unclear } = this.#draft;
    if (!isOpen) {
      this.#settle();
      this.#clear();
      inputs.clearInputs(kept(NAME_KEY));
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

  close(): void {
    this.#draft = undefined;
    for (const name of ['chosen', 'held', 'open'] as const) this.grid.mark(name);
  }

  /** Shows how long the slot is and what it overlaps, by what is known now, or what is wrong with its times. */
  showSlot(): void {
    if (this.#draft === undefined) return;
    const { zone } = this.#draft;
    const { value } = inputs.resource;
    const slot = inputs.readSlot(zone);
    const isFault = slot instanceof inputs.Fault;
    const warning = isFault ? slot.text : this.#overlapText(slot, zone);
    const isNew = value !== '' && !this.bookings.has(value);
    const texts = [isFault ? '' : lengthText(zone, slot), warning, isNew ? 'A new resource' : ''];
    write('panel-title', isFault ? 'New booking' : whenText(zone, slot));
    write('length', texts.filter(Boolean).join(' · '));
    byId('length').classList.toggle('warn', warning !== '');
    this.grid.mark('chosen', isFault ? undefined : slot);
  }

  #overlapText(slot: Slot, zone: Zone): string {
    const [other] = this.bookings.booked(slot.resource, slot);
    if (other === undefined) return this.bookings.isUnread(slot) ? 'Not read: may be taken' : '';
    return `Overlaps ${isolated(other.label)}, ${timesText(zone, other, zone.date(slot.start))}`;
  }

  async #submit(): Promise<void> {
    const own = this.#draft!;
    if (own.isSending) return;
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
      keep(NAME_KEY, inputs.name.value);
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
    const text = isUnclear ? UNCLEAR_OUTCOME : rejectionText(error, own.zone);
    if (this.#draft !== own) return showToast(text);
    if (error instanceof BookingsError) own.idempotencyKey = error.idempotencyKey;
    own.unclear = isUnclear ? payload : undefined;
    this.grid.mark('held', heldBy(error));
    this.grid.reveal('held');
    this.#say(text);
  }

  #say(text: string): void {
    write('fault', text);
    byId('fault').hidden = false;
    byId('fault').scrollIntoView({ block: 'nearest' });
  }

  #settle(): void {
    const { isSending, unclear } = this.#draft!;
    // The focus stays inside the form: a disabled input would lose it.
    if (isSending) byId('book').focus({ preventScroll: true });
    inputs.lockInputs(isSending || unclear !== undefined);
    byId('book').ariaDisabled = String(isSending);
    write('book', isSending ? 'Booking…' : unclear ? 'Find out' : 'Book');
  }

  #clear(): void {
    byId('fault').hidden = true;
    inputs.pointOut();
    this.grid.mark('held');
  }
}

/** Whether a create that failed may have booked nevertheless. */
function mayBeBooked(error: unknown): boolean {
  const { status } = error instanceof ProblemError ? error : { status: 500 };
  return !(error instanceof TypeError) && (status >= 500 || status === 408);
}

function heldBy(error: unknown): Slot | undefined {
  const slot = error instanceof SlotTakenError ? error.conflictingSlot : undefined;
  return slot && { resource: slot.resource_id, start: Date.parse(slot.start), end: Date.parse(slot.end) };
}

function rejectionText(error: unknown, zone: Zone): string {
  if (!(error instanceof ProblemError)) return (error as TypeError).message;
  const { status, retryAfter } = error;
  const held = heldBy(error);
  let text = status === 429 ? 'The service limits requests.' : error.problem.detail;
  if (held) text = `Taken: ${isolated(held.resource)} is booked ${whenText(zone, held)}.`;
  if (error instanceof InvalidBookingError) {
    text = `The service rejected this: ${error.errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ')}.`;
  }
  const again = retryAfter === undefined ? '' : ` Try again at ${secondText(zone, Date.now() + retryAfter * 1_000)}.`;
  return `${text} Nothing was booked.${again}`;
}
