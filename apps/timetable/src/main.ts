/**
 * Assembles the timetable.
 *
 * Main state: `view.ts` has the view, which says what the panel shows; `address.ts` writes it to the address.
 * `bookings.ts` has the known bookings, `panel.ts` the booking whose details are open, `form.ts` the state of the open
 * form, `grid.ts` the keyboard's position, `agenda.ts` whether it is still to scroll to now, `marks.ts` the outlines.
 *
 * Drawing: `draw` follows a change of the view or of the bookings, and redraws whatever shows them: the grid (through
 * `grid.ts` and `drawing.ts`) or the agenda, the outlines, the panel, the form's slot, what a search has found, the
 * footer and the wall's clock. A change of the form, of the keyboard's position or of the outlines is drawn by the file
 * that has it.
 *
 * From a click on free time to a request: `pointer.ts` calls `choose` in `actions.ts`, which opens the form. `form.ts`
 * sends the create, and hands the booking to `showBooked` here.
 */

import { type BookingDto, ForbiddenError, type ProblemError, UnauthenticatedError } from '@booking-service/client';
import { allowBooking, bookNext } from './actions.js';
import { isWall } from './address.js';
import { drawAgenda, scrollToNow, showItem } from './agenda.js';
import { bookedOf, bookings, INTERVAL } from './bookings.js';
import { ageOf, moment } from './clock.js';
import { askForToken, client, onToken } from './connection.js';
import { onUse, showToast, write } from './dom.js';
import { Feed } from './feed.js';
import { onForm, showSlot } from './form.js';
import * as grid from './grid.js';
import './keys.js';
import { askForLinked, readLinked } from './link.js';
import { drawMarks } from './marks.js';
import { closeDeleted, closePanel, drawPanel } from './panel.js';
import './pointer.js';
import { showFound, showResult } from './search.js';
import { onTryNow, showStatus } from './status.js';
import { countText, isolated, timeText, whenText } from './texts.js';
import { HOUR, hourOf, isWithin, MINUTE } from './time.js';
import { type Change, changeView, isAgenda, onView, showView, span, view } from './view.js';
import { startWall } from './wall.js';

const feed = new Feed(client, bookings, draw);
/** Whether a window has been read completely since the page was opened. */
let isReady = false;
/** When somebody last used the page. */
let touched = moment();

/** Draws the known bookings. Sends at most one request: for the booking that the address names. */
function draw(): void {
  grid.drawGrid();
  drawAgenda();
  drawMarks();
  showSlot();
  const { resources } = bookings;
  const shown = resources.reduce((sum, resource) => sum + bookings.booked(resource, span).length, 0);
  showStatus(feed, `${countText(shown, 'booking')} · ${countText(resources.length, 'resource')} known`);
  drawPanel();
  closeDeleted();
  write('clock', timeText(span.zone, Date.now()));
  showResult(feed.failure !== undefined);
  void readLinked(feed.failure !== undefined);
  if (isReady || bookings.share < 1) return;
  isReady = true;
  welcome();
}

/** Opens the form if no resource is known, else shows the first booking that a search in the address finds. */
function welcome(): void {
  if (bookings.resources.length === 0) bookNext();
  else showFound();
}

/** Shows the view after a change. */
function show(change: Change): void {
  askForLinked();
  // The feed draws at once.
  if (change === 'time') feed.show(span);
  else draw();
  if (change === 'time' || change === 'layout') scrollToUsual();
  // A search in a list leaves other items above.
  if (change !== 'panel' && isAgenda()) scrollToNow();
  if (change !== 'panel') showFound();
}

/**
 * Scrolls to the time searched for, else to an hour ago or, on another day, to seven o'clock. On a wall, to two hours ago:
 * a shorter booking has its name where it begins.
 */
function scrollToUsual(): void {
  const day = span.days[0]!;
  const searched = view.free ? span.zone.parse(`${day.date}T${view.at}`)[0] : undefined;
  const usual = isWithin(span, Date.now()) ? Date.now() - (isWall ? 2 : 1) * HOUR : hourOf(day, 7);
  grid.scrollTo(searched ?? usual);
}

/** @param isOpen false if the form was closed while being sent */
function showBooked(booking: BookingDto, isOpen: boolean): void {
  const booked = bookedOf(booking)!;
  bookings.add([booking]);
  if (isOpen) closePanel();
  feed.refresh();
  // Ends a search that would hide the new booking.
  if (!grid.resources.includes(booked.resource)) changeView({ filter: '', free: '' });
  if (isOpen && isWithin(span, booked.start)) {
    grid.activate(booked.resource, booked.start, 'reveal');
    showItem(booked);
  }
  showToast(`Booked ${isolated(booked.resource)}, ${whenText(span.zone, booked)}, for ${isolated(booked.label)}.`);
}

/** Reacts to a rejected create. The form shows the reason. */
function handleRejection(error: ProblemError): void {
  if (error instanceof ForbiddenError) allowBooking(false);
  else if (error instanceof UnauthenticatedError) askForToken(error);
  else feed.refresh();
}

function tryNow(): void {
  allowBooking(true);
  askForLinked();
  feed.refresh(true);
}

/**
 * Redraws as time passes: data becomes stale, a view of today follows the date after midnight, and one that nobody has
 * used for ten minutes follows the time.
 */
function followClock(): void {
  if (document.hidden) return;
  if (view.date === '' && !isWithin(span, Date.now())) showView();
  else draw();
  if (view.date !== '' || ageOf(touched) < (isWall ? 0 : 10 * MINUTE)) return;
  scrollToUsual();
  // A wall turns over its agenda.
  if (!isWall) scrollToNow();
}

onForm({ booked: showBooked, rejected: handleRejection });
onToken(tryNow);
onTryNow(tryNow);
onView(show);
setInterval(followClock, INTERVAL);
onUse(window, () => (touched = moment()));
startWall();

const { content } = document.querySelector<HTMLMetaElement>('meta[name="bookings-resources"]')!;
const named = content.split(',').map((resource) => resource.trim());
for (const resource of named.filter(Boolean)) bookings.addResource(resource);
showView();
