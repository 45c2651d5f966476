import { type BookingDto, BookingNotFoundError, type BookingsClient } from '@booking-service/client';
import { makeAgenda, slotlessList } from './agenda.js';
import { bookingDetails } from './details.js';
import { byId } from './dom.js';
import type { Grid } from './grid.js';
import { labelOf } from './label.js';
import { linkedBooking, linkTo } from './links.js';
import type { sidePanel } from './panel.js';
import type { Choices } from './pointer.js';
import { type Booked, type Schedule, slotOf } from './schedule.js';
import type { Span } from './span.js';
import { notice, showToast } from './status.js';
import type { View } from './view.js';

/** What the panel needs from the rest of the page, to show what is booked. */
export interface BrowsingSurroundings {
  readonly client: BookingsClient;
  readonly schedule: Schedule;
  readonly grid: Grid;
  readonly panel: ReturnType<typeof sidePanel>;
  readonly choices: Choices;
  readonly view: () => View;
  readonly span: () => Span;
  /** Something else than the form is about to be shown. */
  readonly leaving: () => void;
}

/** Shows in the panel what is booked: a booking, the agenda of a resource, and what has no slot. */
export function makeBrowsing({ client, schedule, grid, panel, choices, view, span, leaving }: BrowsingSurroundings) {
  const slotless = byId('slotless');
  let agenda: ReturnType<typeof makeAgenda> | undefined;
  let shown: { booking: BookingDto; details: HTMLElement } | undefined;
  let linked = linkedBooking(location.search);

  slotless.addEventListener('click', () => {
    leaving();
    panel.showContent('Without a slot', slotlessList(schedule.slotless, showBooking));
  });

  function showBooking(booking: BookingDto, slot?: Booked): void {
    leaving();
    const details = bookingDetails(booking, slot, span().zone, linkTo(booking, view()));
    shown = { booking, details };
    panel.showContent(labelOf(booking), details);
    grid.mark('open', slot);
    if (slot) grid.reveal('open');
  }

  function showAgenda(resource: string): void {
    leaving();
    agenda = makeAgenda(resource, schedule, choices);
    agenda.update(span());
    panel.showContent(resource, agenda.element);
  }

  /** Brings what is shown up to date. */
  function refresh(): void {
    slotless.hidden = schedule.slotless.length === 0;
    slotless.textContent = `${schedule.slotless.length} without a slot`;
    if (agenda?.element.isConnected) agenda.update(span());
    if (shown && schedule.isDeleted(shown.booking)) {
      if (shown.details.offsetParent) {
        panel.close();
        showToast('This booking has been deleted.');
      }
      shown = undefined;
    }
  }

  /** Shows the booking that the address names, the first time it is called. */
  async function openLinked(): Promise<void> {
    if (linked === undefined) return;
    const id = linked;
    linked = undefined;
    try {
      const booking = await client.get(id);
      schedule.add([booking]);
      showBooking(booking, slotOf(booking));
    } catch (error) {
      const isGone = error instanceof BookingNotFoundError;
      notice(`The linked booking ${isGone ? 'was not found' : 'could not be read'}.`);
    }
  }

  return { showBooking, showAgenda, refresh, openLinked };
}
