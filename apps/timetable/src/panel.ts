import { type Booked, bookings } from './bookings.js';
import { byId, make, showToast } from './dom.js';
import { closeForm } from './form.js';
import { activate, active, mark, reveal } from './grid.js';
import { dayText, detailsOf, lengthText, whenText } from './texts.js';
import { span } from './view.js';

/** The side panel: the details of a booking, which the address then names, or the form for a new one. */
const panel = byId('panel');
export let shown: Booked | undefined;
let opener: Element | null = null;

export function closePanel(): void {
  if (panel.hidden) return;
  panel.hidden = true;
  nameShown(undefined);
  closeForm();
  if (opener instanceof HTMLButtonElement) opener.focus();
  else if (active) activate(active.resource, active.at, 'focus');
}

export function showForm(): void {
  nameShown(undefined);
  show('form');
}

export function showDetails(booked: Booked): void {
  const { booking, label } = booked;
  nameShown(booked);
  const rows: [string, string | Node][] = [
    ['Resource', booked.resource],
    ['When', `${whenText(span.zone, booked)} (${lengthText(span.zone, booked)})`],
    ...detailsOf(booking).filter(([, text]) => text !== label),
    ['Created', dayText(span.zone, Date.parse(booking.created_at))],
    ['Link', makeLink(booking.booking_id)],
  ];
  const dir = 'auto';
  const drawn = rows.flatMap(([name, value]) => [make('dt', { dir }, name), make('dd', { dir }, value)]);
  byId('panel-title').replaceChildren(make('bdi', {}, label));
  byId('details').replaceChildren(...drawn);
  show('details');
  mark('open', booked);
  reveal('open');
  byId('close').focus();
}

/** Closes the details of a booking that has been deleted. */
export function closeDeleted(): void {
  if (shown === undefined || !bookings.isDeleted(shown)) return;
  closePanel();
  showToast('This booking has been deleted.');
}

function show(content: 'details' | 'form'): void {
  if (panel.hidden) opener = document.activeElement;
  for (const id of ['details', 'form']) byId(id).hidden = id !== content;
  panel.hidden = false;
  panel.scrollTop = 0;
}

/** Lets the address name what is shown, without an entry in the history. */
function nameShown(booked: Booked | undefined): void {
  shown = booked;
  const hash = booked ? hashOf(booked.booking.booking_id) : '';
  if (location.hash !== hash) history.replaceState(null, '', location.pathname + location.search + hash);
}

function hashOf(id: string): string {
  return `#${encodeURIComponent(id)}`;
}

/** A link that a click copies. Without TLS there is no clipboard, and the browser's menu copies it. */
function makeLink(id: string): HTMLElement {
  const { clipboard } = navigator as { clipboard?: Clipboard };
  const onclick = () => void clipboard?.writeText(location.href).then(() => showToast('Link copied.'));
  const text = clipboard ? 'Copy the link' : 'Link to this booking';
  return make('a', { href: hashOf(id), title: id, onclick }, text);
}

for (const id of ['close', 'cancel']) byId(id).addEventListener('click', closePanel);
panel.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') closePanel();
});
// The soft keyboard takes room.
addEventListener('resize', () => panel.querySelector(':focus')?.scrollIntoView({ block: 'nearest' }));
