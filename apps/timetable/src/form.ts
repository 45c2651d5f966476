import {
  type BookingDto,
  type BookingsClient,
  BookingsError,
  ForbiddenError,
  InvalidBookingError,
  ProblemError,
  SlotTakenError,
} from '@booking-service/client';
import { type Bookings, type Slot, slotOf } from './bookings.js';
import { byId, kept, showToast, write } from './dom.js';
import type { Grid } from './grid.js';
import * as inputs from './inputs.js';
import { isolated, lengthText, secondText, timesText, whenText } from './texts.js';
import type { Zone } from './time.js';

const UNCLEAR_OUTCOME = `The service did not respond, so this may have been booked. “Send again” never books it twice.`;
const NAME_KEY = 'bookings-name';

/** The button of a form. An unclear one may be booked: what was sent is locked, and may only be sent again. */
const BUTTONS = { open: 'Book', sending: 'Booking…', unclear: 'Send again' };

/** One form from its opening to its end. Another one that is opened meanwhile shares nothing with it. */
interface Draft {
  /** The clock on which its times are read, whatever clock the page has by then. */
  readonly zone: Zone;
  state: keyof typeof BUTTONS;
  /** What the service has rejected this slot for, until another one is entered. */
  held?: Slot | undefined;
  /** The key that the client generated for the first attempt: with it, the form books only once. */
  idempotencyKey?: string | undefined;
}

/** The form for a new booking. A form creates at most one booking, however often it is sent. */
export class BookingForm {
  #draft: Draft | undefined;

  constructor(
    private readonly client: BookingsClient,
    private readonly bookings: Bookings,
    private readonly grid: Grid,
    private readonly booked: (booking: BookingDto, isOpen: boolean) => void,
    private readonly failed: (error: ProblemError) => void,
  ) {
    inputs.form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#submit();
    });
    inputs.form.addEventListener('input', ({ target }) => {
      if (this.#draft) inputs.followInput(target, this.#draft.zone);
      this.#clear();
      grid.reveal('chosen');
    });
  }

  get isOpen(): boolean {
    return this.#draft !== undefined;
  }

  /** Opens a form, or moves the slot of the open one, unless it is locked: what may be booked is found out first. */
  open(slot: Slot): void {
    const { isOpen } = this;
    this.#draft ??= { zone: this.grid.span.zone, state: 'open' };
    if (!isOpen) {
      this.#enter('open');
      inputs.form.reset();
      inputs.name.value = kept(NAME_KEY);
      byId('resources').replaceChildren(...this.bookings.resources.toSorted().map((name) => new Option(name, name)));
    }
    // What was dragged is not what is being booked.
    if (this.#draft.state !== 'open') return this.showSlot();
    inputs.writeSlot(slot, this.#draft.zone);
    this.#clear();
    if (isOpen) return;
    this.grid.reveal('chosen');
    const first = slot.resource === '' ? inputs.resource : inputs.name;
    first.focus();
    first.select();
  }

  close(): void {
    this.#draft = undefined;
    this.grid.mark('chosen');
    this.grid.mark('open');
  }

  showSlot(): void {
    if (this.#draft === undefined) return;
    const { zone, state, held } = this.#draft;
    const [slot, { value }] = [inputs.readSlot(zone), inputs.resource];
    const others = slot ? this.bookings.booked(slot.resource, slot) : [];
    const overlaps = others.map((one) => `${isolated(one.label)}, ${timesText(zone, one, zone.date(slot!.start))}`);
    const unread = slot && this.bookings.isUnread(slot) ? 'Not read: may be taken' : '';
    if (held && overlaps.length === 0) overlaps.push(timesText(zone, held, zone.date(slot!.start)));
    const taken = overlaps.length > 0 ? `Overlaps ${overlaps.join('; ')}` : unread;
    const warning = held ? `Taken, nothing was booked. ${taken}` : taken;
    const unknown =
      value === '' || this.bookings.resources.includes(value) ? '' : ` new resource ${isolated(value.trim())}`;
    const past = slot && slot.end <= Date.now() ? ' in the past' : '';
    write('panel-title', slot ? whenText(zone, slot) : 'New booking');
    write('length', [slot ? lengthText(zone, slot) : '', warning].filter(Boolean).join(' · '));
    byId('length').classList.toggle('warn', warning !== '');
    if (state === 'open') write('book', `Book${unknown}${past}`);
    byId('book').className = unknown + past === '' ? 'primary' : 'warn';
    this.grid.mark('chosen', slot);
  }

  async #submit(): Promise<void> {
    const own = this.#draft!;
    if (own.state === 'sending') return;
    this.#clear();
    // A name may begin or end with blanks, but hardly a new one.
    if (!this.bookings.resources.includes(inputs.resource.value)) inputs.resource.value = inputs.resource.value.trim();
    const payload = inputs.readPayload(own.zone);
    if (payload === undefined) return this.#say(inputs.pointOutFault());
    this.#enter('sending');
    try {
      const booking = await this.client.create(payload, { idempotencyKey: own.idempotencyKey, maxRetries: 0 });
      kept(NAME_KEY, inputs.name.value);
      this.booked(booking, this.#draft === own);
    } catch (error) {
      this.#fail(error, own);
    }
  }

  #fail(error: unknown, own: Draft): void {
    if (error instanceof ProblemError) this.failed(error);
    // A token that cannot book has closed the form.
    if (error instanceof ForbiddenError) return;
    const { status } = error instanceof ProblemError ? error : { status: 500 };
    const isUnclear = !(error instanceof TypeError) && (status >= 500 || status === 408);
    const held = error instanceof SlotTakenError && error.conflictingSlot ? slotOf(error.conflictingSlot) : undefined;
    const text = isUnclear ? UNCLEAR_OUTCOME : rejectionText(error, own.zone, held);
    if (this.#draft !== own) return showToast(text);
    if (error instanceof BookingsError) own.idempotencyKey = error.idempotencyKey;
    own.held = held;
    this.#enter(isUnclear ? 'unclear' : 'open');
    this.grid.mark('open', held);
    this.grid.reveal('open');
    this.showSlot();
    if (held) byId('length').scrollIntoView({ block: 'nearest' });
    else this.#say(text);
  }

  #say(text: string): void {
    write('fault', text);
    byId('fault').hidden = false;
    byId('fault').scrollIntoView({ block: 'nearest' });
  }

  #enter(state: Draft['state']): void {
    this.#draft!.state = state;
    // The focus stays inside the form: a disabled input would lose it.
    if (state === 'sending') byId('book').focus({ preventScroll: true });
    inputs.lockInputs(state !== 'open');
    byId('book').ariaDisabled = String(state === 'sending');
    write('book', BUTTONS[state]);
  }

  #clear(): void {
    if (this.#draft) this.#draft.held = undefined;
    byId('fault').hidden = true;
    this.grid.mark('open');
    this.showSlot();
  }
}

function rejectionText(error: unknown, zone: Zone, held: Slot | undefined): string {
  if (!(error instanceof ProblemError)) return (error as TypeError).message;
  const { status, retryAfter } = error;
  let text = status === 429 ? 'The service limits requests.' : error.problem.detail;
  if (held) text = `Taken: ${isolated(held.resource)} is booked ${whenText(zone, held)}.`;
  if (error instanceof InvalidBookingError) {
    text = `The service rejected this: ${error.errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ')}.`;
  }
  const again = retryAfter === undefined ? '' : ` Try again at ${secondText(zone, Date.now() + retryAfter * 1_000)}.`;
  return `${text} Nothing was booked.${again}`;
}
