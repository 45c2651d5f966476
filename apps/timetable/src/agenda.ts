import type { BookingDto } from '@booking-service/client';
import { make } from './dom.js';
import { labelOf } from './label.js';
import type { Choices } from './pointer.js';
import type { Cell, Schedule } from './schedule.js';
import { dayText, durationText, overText, shortTimes, type Span } from './span.js';

/** What is booked and free of one resource, day by day, as a list of buttons. */
export function makeAgenda(resource: string, schedule: Schedule, choices: Choices) {
  const element = make('div', { className: 'agenda' });
  let shown: { span: Span; version: number } | undefined;
  const entry = (cell: Cell, { zone }: Span) => {
    const { start, end, booked } = cell;
    const times = shortTimes(zone, start, end);
    const text = cell.isUnread ? 'Not read' : `Free, ${durationText(end - start)}${overText(cell)}`;
    if (!booked && (cell.isUnread || !choices.canBook())) return make('li', { className: 'entry' }, `${times} ${text}`);
    const button = make('button', { type: 'button', className: booked ? 'entry' : 'entry open' });
    button.append(make('span', {}, times), booked ? make('bdi', {}, labelOf(booked.booking)) : text);
    button.addEventListener('click', () => {
      if (booked) choices.open({ ...cell, resource, isWanted: false, isExact: false });
      else choices.book({ resource, start, end: Math.min(end, start + 3_600_000) });
    });
    return make('li', {}, button);
  };
  const buttons = () => [...element.querySelectorAll('button')];
  /** Shows what is known of a span by now. The focus stays where it is. */
  function update(span: Span): void {
    const version = schedule.version(resource);
    if (shown?.span === span && shown.version === version) return;
    shown = { span, version };
    const focused = buttons().findIndex((button) => button === document.activeElement);
    const days = span.days.flatMap(({ start, end }) => {
      const cells = schedule.cells(resource, start, end);
      return [make('h3', {}, dayText(span.zone, start)), make('ul', {}, ...cells.map((cell) => entry(cell, span)))];
    });
    element.replaceChildren(...days);
    buttons()[focused]?.focus({ preventScroll: true });
  }
  return { element, update };
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
  const note = 'Bookings of no resource and no time, among the newest.';
  return make('div', { className: 'agenda' }, make('p', { className: 'hint' }, note), make('ul', {}, ...entries));
}
