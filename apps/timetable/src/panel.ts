import { byId, make } from './dom.js';
import { detailsOf, labelOf } from './label.js';
import type { Booked } from './schedule.js';
import { durationText } from './span.js';
import type { Zone } from './zone.js';

/**
 * The side panel: the details of a booking, or the form for a new one.
 *
 * @param closed called when the panel was closed, to restore the focus
 */
export function sidePanel(closed: () => void) {
  const panel = byId('panel');
  const title = byId('panel-title');
  const details = byId('details');
  const form = byId('form');

  for (const id of ['close', 'cancel']) byId(id).addEventListener('click', close);
  panel.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
  });

  function close(): void {
    if (panel.hidden) return;
    panel.hidden = true;
    closed();
  }

  function show(text: string, content: HTMLElement): void {
    title.replaceChildren(make('bdi', {}, text));
    for (const part of [details, form]) part.hidden = part !== content;
    panel.hidden = false;
    panel.scrollTop = 0;
  }

  function showBooking({ booking, resource, start, end }: Booked, zone: Zone): void {
    const json = make('details', {}, make('summary', {}, 'JSON'));
    // A booking may have 64 KiB: its JSON is laid out only when it is opened.
    const showJson = () => json.append(make('pre', { tabIndex: 0 }, JSON.stringify(booking, null, 2)));
    json.addEventListener('toggle', showJson, { once: true });
    const rows: [string, string][] = [
      ['Resource', resource],
      ['Start', zone.text(start)],
      ['End', zone.text(end)],
      ['Length', durationText(end - start)],
      ...detailsOf(booking),
      ['Created', zone.text(Date.parse(booking.created_at))],
      ['Id', booking.booking_id],
    ];
    const list = make('dl');
    for (const [name, value] of rows)
      list.append(make('dt', {}, make('bdi', {}, name)), make('dd', { dir: 'auto' }, value));
    details.replaceChildren(list, make('p', { className: 'hint' }, `Times in ${zone.name}`), json);
    show(labelOf(booking), details);
    title.focus({ preventScroll: true });
  }

  return { close, showForm: () => show('New booking', form), showBooking };
}
