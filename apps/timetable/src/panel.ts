import { byId, make } from './dom.js';
import type { Grid } from './grid.js';
import { detailsOf, labelOf } from './label.js';
import type { Booked, Schedule } from './schedule.js';
import { showToast } from './status.js';
import { dayText, durationText, overText, timeText, whenText } from './texts.js';
import type { Zone } from './zone.js';

/**
 * The side panel: the details of a booking, or the form for a new one.
 *
 * @param closed called when the panel was closed, to restore the focus
 */
export function sidePanel(schedule: Schedule, grid: Grid, closed: () => void) {
  const panel = byId('panel');
  const title = byId('panel-title');
  const details = byId('details');
  const form = byId('form');
  let shown: Booked | undefined;

  for (const id of ['close', 'cancel']) byId(id).addEventListener('click', close);
  panel.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
  });

  function close(): void {
    if (panel.hidden) return;
    panel.hidden = true;
    shown = undefined;
    closed();
  }

  function show(content: HTMLElement): void {
    for (const part of [details, form]) part.hidden = part !== content;
    panel.hidden = false;
    panel.scrollTop = 0;
  }

  function showForm(): void {
    shown = undefined;
    show(form);
  }

  function showDetails(booked: Booked): void {
    shown = booked;
    title.replaceChildren(make('bdi', {}, labelOf(booked.booking)));
    details.replaceChildren(listOf(booked, grid.axis.span.zone));
    show(details);
    title.focus({ preventScroll: true });
    grid.mark('open', booked);
    grid.reveal('open');
  }

  /** Closes the details of a booking that has been deleted. */
  function refresh(): void {
    if (shown === undefined || !schedule.isDeleted(shown)) return;
    close();
    showToast('This booking has been deleted.');
  }

  return { close, showForm, showDetails, refresh };
}

/** Everything there is to know about a booking. */
function listOf(booked: Booked, zone: Zone): HTMLElement {
  const { booking, resource, start, end } = booked;
  const created = Date.parse(booking.created_at);
  const rows: [string, string][] = [
    ['Resource', resource],
    ['When', `${whenText(zone, start, end)}${overText(booked)}`],
    ['Length', `${durationText(end - start)} in ${zone.name.replaceAll('_', ' ')}`],
    ...detailsOf(booking),
    ['Created', `${dayText(zone, created)}, ${timeText(zone, created)}`],
    ['Id', booking.booking_id],
  ];
  const list = make('dl');
  for (const [name, value] of rows) {
    list.append(make('dt', {}, make('bdi', {}, name)), make('dd', { dir: 'auto' }, value));
  }
  return list;
}
