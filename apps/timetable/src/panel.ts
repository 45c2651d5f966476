/** The side panel: the form for a new booking, or the details of a booking, which the address then names. */

import { type Booked, bookings } from './bookings.js';
import { byId, make, showToast } from './dom.js';
import { closeForm } from './form.js';
import { activate, active } from './grid.js';
import { detailsOf } from './labels.js';
import { mark, reveal } from './marks.js';
import { dayText, lengthText, whenText } from './texts.js';
import { span } from './view.js';

const panel = byId('panel');
/** The booking whose details are open. */
export let shown: Booked | undefined;
/** The element that had the focus before the panel was opened. */
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
  const terms = rows.flatMap(([name, value]) => [make('dt', { dir }, name), make('dd', { dir }, value)]);
  byId('panel-title').replaceChildren(make('bdi', {}, label));
  byId('details').replaceChildren(...terms);
  show('details');
  mark('open', booked);
  reveal('open');
  byId('close').focus();
}

/** Closes the details if their booking has been deleted. */
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

/** Names the open booking, or none, in the address, without an entry in the history. */
function nameShown(booked: Booked | undefined): void {
  shown = booked;
  const hash = booked ? hashOf(booked.booking.booking_id) : '';
  if (location.hash !== hash) history.replaceState(null, '', location.pathname + location.search + hash);
}

function hashOf(id: string): string {
  return `#${encodeURIComponent(id)}`;
}

/**
 * A link that a click copies. Without TLS (except on localhost), there is no clipboard: users copy the link with the
 * browser's menu.
 */
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
// A soft keyboard may cover the focused element.
addEventListener('resize', () => panel.querySelector(':focus')?.scrollIntoView({ block: 'nearest' }));
