import type { BookingDto } from '@booking-service/client';
import { bookedOf, type Bookings } from './bookings.js';
import { showToast } from './connection.js';
import { byId, make } from './dom.js';
import type { Grid } from './grid.js';
import { dayText, detailsOf, labelOf, lengthText, timeText, whenText } from './texts.js';
import type { Zone } from './time.js';

/** The side panel: the details of a booking, which the address then names, or the form for a new one. */
export class Panel {
  readonly #element = byId('panel');
  #shown: BookingDto | undefined;
  /** What gets the focus back. */
  #opener: Element | null = null;

  /** @param closed called when the panel was closed; whether the focus is still to be restored */
  constructor(
    private readonly grid: Grid,
    private readonly closed: () => void,
  ) {
    for (const id of ['close', 'cancel']) byId(id).addEventListener('click', () => this.close());
    this.#element.addEventListener('keydown', ({ key }) => key === 'Escape' && this.close());
  }

  get shownId(): string | undefined {
    return this.#shown?.booking_id;
  }

  /** Closes the panel, and restores the focus. */
  close(): void {
    if (this.#element.hidden) return;
    this.#element.hidden = true;
    this.#name(undefined);
    this.closed();
    const { active } = this.grid;
    if (this.#opener?.matches('button')) (this.#opener as HTMLElement).focus();
    else if (active) this.grid.activate(active.resource, active.at, 'stay');
  }

  showForm(): void {
    this.#name(undefined);
    this.#show(byId('form'));
  }

  showDetails(booking: BookingDto): void {
    this.#name(booking);
    byId('panel-title').replaceChildren(make('bdi', {}, labelOf(booking)));
    byId('details').replaceChildren(...listOf(booking, this.grid.span.zone));
    this.#show(byId('details'));
    this.grid.mark('open', bookedOf(booking));
    this.grid.reveal('open');
    byId('panel-title').focus();
  }

  /** Closes the details of a booking that has been deleted. */
  refresh(bookings: Bookings): void {
    const booked = this.#shown && bookedOf(this.#shown);
    if (booked === undefined || !bookings.isDeleted(booked)) return;
    this.close();
    showToast('This booking has been deleted.');
  }

  #show(content: HTMLElement): void {
    if (this.#element.hidden) this.#opener = document.activeElement;
    for (const id of ['details', 'form']) byId(id).hidden = byId(id) !== content;
    this.#element.hidden = false;
    this.#element.scrollTop = 0;
  }

  /** The address names what is shown, without an entry in the history. */
  #name(booking: BookingDto | undefined): void {
    this.#shown = booking;
    const hash = booking ? `#${encodeURIComponent(booking.booking_id)}` : '';
    if (location.hash !== hash) history.replaceState(null, '', location.pathname + location.search + hash);
  }
}

/** Everything there is to know about a booking. */
function listOf(booking: BookingDto, zone: Zone): HTMLElement[] {
  const { booking_id: id } = booking;
  const booked = bookedOf(booking);
  const created = Date.parse(booking.created_at);
  const rows: [string, string | Node][] = [
    ...(booked
      ? ([
          ['Resource', booked.resource],
          ['When', whenText(zone, booked)],
          ['Length', lengthText(zone, booked)],
        ] as [string, string][])
      : []),
    ...detailsOf(booking),
    ['Created', `${dayText(zone, created)}, ${timeText(zone, created)}`],
    ['Id', make('a', { href: `#${encodeURIComponent(id)}`, title: 'Link to this booking' }, id)],
  ];
  return rows.flatMap(([name, value]) => [make('dt', {}, make('bdi', {}, name)), make('dd', { dir: 'auto' }, value)]);
}
