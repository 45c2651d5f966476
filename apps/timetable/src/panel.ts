import type { Booked, Bookings } from './bookings.js';
import { byId, make, showToast } from './dom.js';
import type { Grid } from './grid.js';
import { dayText, detailsOf, lengthText, whenText } from './texts.js';

/** The side panel: the details of a booking, which the address then names, or the form for a new one. */
export class Panel {
  shown: Booked | undefined;
  readonly #element = byId('panel');
  #opener: Element | null = null;

  constructor(
    private readonly grid: Grid,
    private readonly closed: () => void,
  ) {
    for (const id of ['close', 'cancel']) byId(id).addEventListener('click', () => this.close());
    this.#element.addEventListener('keydown', ({ key }) => key === 'Escape' && this.close());
    // The soft keyboard takes room.
    addEventListener('resize', () => this.#element.querySelector(':focus')?.scrollIntoView({ block: 'nearest' }));
  }

  close(): void {
    if (this.#element.hidden) return;
    this.#element.hidden = true;
    this.#name(undefined);
    this.closed();
    const { active } = this.grid;
    if (this.#opener instanceof HTMLButtonElement) this.#opener.focus();
    else if (active) this.grid.activate(active.resource, active.at, 'focus');
  }

  showForm(): void {
    this.#name(undefined);
    this.#show('form');
  }

  showDetails(booked: Booked): void {
    const [{ zone }, { booking, label }] = [this.grid.span, booked];
    const href = this.#name(booked);
    // Without TLS there is no clipboard, and the link is there to be copied by the browser's menu.
    const onclick = () => void navigator.clipboard?.writeText(location.href).then(() => showToast('Link copied.'));
    const linkText = navigator.clipboard ? 'Copy the link' : 'Link to this booking';
    const rows: [string, string | Node][] = [
      ['Resource', booked.resource],
      ['When', `${whenText(zone, booked)} (${lengthText(zone, booked)})`],
      ...detailsOf(booking).filter(([, text]) => text !== label),
      ['Created', dayText(zone, Date.parse(booking.created_at))],
      ['Link', make('a', { href, title: booking.booking_id, onclick }, linkText)],
    ];
    const dir = 'auto';
    const drawn = rows.flatMap(([name, value]) => [make('dt', { dir }, name), make('dd', { dir }, value)]);
    byId('panel-title').replaceChildren(make('bdi', {}, label));
    byId('details').replaceChildren(...drawn);
    this.#show('details');
    this.grid.mark('open', booked);
    this.grid.reveal('open');
    byId('close').focus();
  }

  refresh(bookings: Bookings): void {
    if (this.shown === undefined || !bookings.isDeleted(this.shown)) return;
    this.close();
    showToast('This booking has been deleted.');
  }

  #show(content: 'details' | 'form'): void {
    if (this.#element.hidden) this.#opener = document.activeElement;
    for (const id of ['details', 'form']) byId(id).hidden = id !== content;
    this.#element.hidden = false;
    this.#element.scrollTop = 0;
  }

  /** Lets the address name what is shown, without an entry in the history. */
  #name(booked: Booked | undefined): string {
    this.shown = booked;
    const hash = booked ? `#${encodeURIComponent(booked.booking.booking_id)}` : '';
    if (location.hash !== hash) history.replaceState(null, '', location.pathname + location.search + hash);
    return hash;
  }
}
