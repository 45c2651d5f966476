import { type BookingDto, ForbiddenError, UnauthenticatedError } from '@booking-service/client';
import { bookedOf, bookings, INTERVAL } from './bookings.js';
import { allowBooking, bookNext } from './choices.js';
import { askForToken, client, onRetry, showStatus } from './connection.js';
import { byId, showToast, write } from './dom.js';
import { Feed } from './feed.js';
import { onForm, showSlot } from './form.js';
import * as grid from './grid.js';
import './keys.js';
import { askForLink, openLink } from './link.js';
import { closeDeleted, closePanel } from './panel.js';
import './pointer.js';
import { countText, isolated, whenText } from './texts.js';
import { HOUR, hourOf, isWithin } from './time.js';
import { changeView, onView, showView, span, view } from './view.js';

const NOTHING_BOOKED = `Nothing is booked here yet. Drag over free time in a row, or press “New booking” \
and type the name of whatever is to be shared: a room, a desk, a car. From then on it has a row.`;

const feed = new Feed(client, bookings, draw);
/** Whether nothing was known when all was read first. */
let isFirstVisit: boolean | undefined;

/** Draws what is known, and asks for nothing. */
function draw(): void {
  grid.drawGrid();
  showSlot();
  const { resources, share } = bookings;
  const shown = resources.reduce((sum, resource) => sum + bookings.booked(resource, span).length, 0);
  showStatus(feed, `${countText(shown, 'booking')} · ${countText(resources.length, 'resource')} known`);
  closeDeleted();
  showEmpty(shown);
  void openLink(feed.failure !== undefined);
  if (share < 1 || isFirstVisit !== undefined) return;
  isFirstVisit = resources.length === 0;
  if (isFirstVisit) bookNext();
  else showFound();
}

/** Says why no booking is shown. */
function showEmpty(count: number): void {
  const isFound = bookings.resources.length === 0 || grid.resources.length > 0;
  const missing = view.free ? 'No resource here is free then.' : 'Nothing matches this search.';
  write('empty-text', isFound ? NOTHING_BOOKED : missing);
  byId('clear').hidden = isFound;
  byId('empty').hidden = bookings.isUnread(span) || (count > 0 && isFound);
}

/** Shows the view; another time from the time that is asked for, shortly before now, or seven o'clock on. */
function show(isOtherTime: boolean): void {
  if (isOtherTime) feed.show(span);
  askForLink();
  draw();
  if (isOtherTime) {
    const day = span.days[0]!;
    const asked = view.free ? span.zone.parse(`${day.date}T${view.at}`)[0] : undefined;
    const usual = isWithin(span, Date.now()) ? Date.now() - HOUR : hourOf(day, 7);
    grid.scrollTo(asked ?? usual);
  }
  showFound();
}

/** Brings the first booking that a search has found into sight. */
function showFound(): void {
  if (view.filter.trim() === '') return;
  const cells = grid.resources.flatMap((name) => grid.cellsOf(name));
  const found = cells.find(({ isFound }) => isFound);
  if (found) grid.activate(found.resource, Math.max(found.start, span.start), 'show');
}

/** @param isOpen whether by the open form, and not by one that was closed while it was sent */
function showBooked(booking: BookingDto, isOpen: boolean): void {
  const own = bookedOf(booking)!;
  bookings.add([booking]);
  if (isOpen) closePanel();
  feed.refresh();
  // A new booking is shown, whatever was searched for.
  if (!grid.resources.includes(own.resource)) changeView({ filter: '', free: '' });
  if (isOpen && isWithin(span, own.start)) grid.activate(own.resource, own.start, 'reveal');
  showToast(`Booked ${isolated(own.resource)}, ${whenText(span.zone, own)}.`);
}

onForm({
  booked: showBooked,
  rejected: (error) => {
    if (error instanceof ForbiddenError) allowBooking(false);
    else if (error instanceof UnauthenticatedError) askForToken(error);
    else feed.refresh();
  },
});
onRetry(() => {
  allowBooking(true);
  askForLink();
  feed.refresh(true);
});
onView(show);

const named = document.querySelector<HTMLMetaElement>('meta[name="bookings-resources"]')!.content.split(',');
for (const resource of named) if (resource.trim() !== '') bookings.addResource(resource.trim());
showView();
// The bookings become old, and today is another day after midnight.
setInterval(() => {
  const isOver = view.date === '' && !isWithin(span, Date.now());
  if (document.hidden) return;
  if (isOver) showView();
  else draw();
}, INTERVAL);
