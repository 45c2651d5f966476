/** The side panel: the form for a new booking, or the details of a booking, as the view says. */

import { idIn } from './address.js';
import { type Booked, bookings } from './bookings.js';
import { byId, make, showToast, writeTo } from './dom.js';
import { closeForm } from './form.js';
import { activate, active } from './grid.js';
import { detailsOf } from './labels.js';
import { mark, reveal } from './marks.js';
import { dayText, lengthText, whenText } from './texts.js';
import { changeView, isAgenda, span, view } from './view.js';

const panel = byId('panel');
/** Texts of the details that another zone changes, and the time that passes. */
const when = make('span');
const created = make('span');
/** The booking whose details are open. */
export let shown: Booked | undefined;
/** The element that had the focus before the panel was opened. */
let opener: Element | null = null;

export function closePanel(): void {
  if (view.panel) changeView({ panel: undefined });
}

/** Draws the panel of the view: the form, or the details of a booking as soon as that is known. */
export function drawPanel(): void {
  const id = idIn(view.panel);
  const isOther = shown?.booking.booking_id !== id;
  if (isOther) shown = id === '' ? undefined : bookings.find(id);
  const content = shown ? 'details' : view.panel;
  if (content !== 'form') closeForm();
  if (content === 'form') show('form');
  else if (shown && isOther) showDetails(shown);
  else if (!shown) hide();
  if (shown) writeTimes(shown);
}

function writeTimes(booked: Booked): void {
  writeTo(when, `${whenText(span.zone, booked)} (${lengthText(span.zone, booked)})`);
  writeTo(created, dayText(span.zone, Date.parse(booked.booking.created_at)));
}

/** Closes the details if their booking has been deleted. */
export function closeDeleted(): void {
  if (shown === undefined || !bookings.isDeleted(shown)) return;
  closePanel();
  showToast('This booking has been deleted.');
}

function showDetails(booked: Booked): void {
  const { booking, label } = booked;
  const rows: [string, string | Node][] = [
    ['Resource', booked.resource],
    ['When', when],
    ...detailsOf(booking).filter(([, text]) => text !== label),
    ['Created', created],
    ['Link', makeLink(booking.booking_id)],
  ];
  const dir = 'auto';
  const terms = rows.flatMap(([name, value]) => [make('dt', { dir }, name), make('dd', { dir }, value)]);
  byId('panel-title').replaceChildren(make('bdi', {}, label));
  byId('details-list').replaceChildren(...terms);
  show('details');
  mark('open', booked);
  reveal('open');
  byId('close').focus();
}

function show(content: 'details' | 'form'): void {
  if (!panel.hidden && !byId(content).hidden) return;
  if (panel.hidden) opener = document.activeElement;
  for (const id of ['details', 'form']) byId(id).hidden = id !== content;
  panel.hidden = false;
  panel.scrollTop = 0;
}

function hide(): void {
  if (panel.hidden) return;
  panel.hidden = true;
  mark('open', undefined);
  if (opener instanceof HTMLButtonElement && opener.isConnected) opener.focus();
  else if (isAgenda()) byId('agenda').focus();
  else if (active) activate(active.resource, active.at, 'focus');
}

/**
 * A link that a click copies. Without TLS (except on localhost), there is no clipboard: users copy the link with the
 * browser's menu.
 */
function makeLink(id: string): HTMLElement {
  const { clipboard } = navigator as { clipboard?: Clipboard };
  const text = clipboard ? 'Copy the link' : 'Link to this booking';
  const href = `#${encodeURIComponent(id)}`;
  const onclick = (event: Event) => {
    event.preventDefault();
    void clipboard?.writeText(new URL(href, location.href).href).then(() => showToast('Link copied.'));
  };
  return make('a', { href, title: id, onclick }, text);
}

for (const id of ['close', 'cancel']) byId(id).addEventListener('click', closePanel);
panel.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') closePanel();
});
// A soft keyboard may cover the focused element.
addEventListener('resize', () => panel.querySelector(':focus')?.scrollIntoView({ block: 'nearest' }));
