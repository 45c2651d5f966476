import { make } from './dom.js';
import type { Grid } from './grid.js';
import { detailsOf, labelOf } from './label.js';
import type { sidePanel } from './panel.js';
import type { Booked, Schedule } from './schedule.js';
import { dayText, durationText, overText, whenText } from './span.js';
import { showToast } from './status.js';
import type { Zone } from './zone.js';

/** Shows in the panel everything there is to know about a booking. */
export function makeDetails(schedule: Schedule, grid: Grid, panel: ReturnType<typeof sidePanel>) {
  let shown: { booked: Booked; list: HTMLElement } | undefined;

  function show(booked: Booked, zone: Zone): void {
    shown = { booked, list: listOf(booked, zone) };
    panel.showContent(labelOf(booked.booking), shown.list);
    grid.mark('open', booked);
    grid.reveal('open');
  }

  /** Closes the details of a booking that has been deleted. */
  function refresh(): void {
    if (shown === undefined || !schedule.isDeleted(shown.booked)) return;
    if (shown.list.offsetParent) {
      panel.close();
      showToast('This booking has been deleted.');
    }
    shown = undefined;
  }

  return { show, refresh };
}

function listOf(booked: Booked, zone: Zone): HTMLElement {
  const { booking, resource, start, end } = booked;
  const created = Date.parse(booking.created_at);
  const rows: [string, string][] = [
    ['Resource', resource],
    ['When', `${whenText(zone, start, end)}${overText(booked)}`],
    ['Length', `${durationText(end - start)} in ${zone.name.replaceAll('_', ' ')}`],
    ...detailsOf(booking),
    ['Created', `${dayText(zone, created)}, ${zone.clock(created)}`],
    ['Id', booking.booking_id],
  ];
  const list = make('dl');
  for (const [name, value] of rows) {
    list.append(make('dt', {}, make('bdi', {}, name)), make('dd', { dir: 'auto' }, value));
  }
  return list;
}
