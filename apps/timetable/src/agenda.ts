import type { BookingDto } from '@booking-service/client';
import { make } from './dom.js';
import { labelOf } from './label.js';
import type { Choices } from './pointer.js';
import type { Cell, Schedule } from './schedule.js';
import { dayTitle, durationText, shortTimes, type Span } from './span.js';

/** What is booked and free of one resource, day by day, as a list of buttons. */
export function agendaOf(resource: string, span: Span, schedule: Schedule, choices: Choices): HTMLElement {
  const list = make('div', { className: 'agenda' });
  const entry = (cell: Cell) => {
    const { start, end, booked } = cell;
    if (cell.isUnread) return make('li', { className: 'entry' }, `${shortTimes(span.zone, start, end)} Not read`);
    const text = booked ? make('bdi', {}, labelOf(booked.booking)) : `Free, ${durationText(end - start)}`;
    const button = make('button', { type: 'button', className: booked ? 'entry' : 'entry open' });
    button.append(make('span', {}, shortTimes(span.zone, start, end)), text);
    button.addEventListener('click', () => {
      if (booked) choices.open({ ...cell, resource, isWanted: false, isExact: false });
      else choices.book({ resource, start, end: Math.min(end, start + 3_600_000) });
    });
    return make('li', {}, button);
  };
  for (const { date, start, end } of span.days) {
    const cells = schedule.cells(resource, start, end);
    list.append(make('h3', {}, dayTitle(Date.parse(date))), make('ul', {}, ...cells.map(entry)));
  }
  return list;
}

/** Bookings without a slot, the newest first, as a list of buttons. */
export function slotlessList(bookings: readonly BookingDto[], open: (booking: BookingDto) => void): HTMLElement {
  const entries = bookings
    .toSorted((one, other) => (one.created_at < other.created_at ? 1 : -1))
    .map((booking) => {
      const button = make('button', { type: 'button', className: 'entry' }, make('bdi', {}, labelOf(booking)));
      button.addEventListener('click', () => open(booking));
      return make('li', {}, button);
    });
  const note = 'Bookings of no resource and no time, of those that this page has read.';
  return make('div', { className: 'agenda' }, make('p', { className: 'hint' }, note), make('ul', {}, ...entries));
}
