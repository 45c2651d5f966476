import { type BookingDto, BookingsClient, ForbiddenError, UnauthenticatedError } from '@booking-service/client';
import { type Booked, bookedOf, Bookings, type Slot } from './bookings.js';
import { chooseByKeys, chooseByPointer } from './choices.js';
import { Connection } from './connection.js';
import { byId, showToast, write } from './dom.js';
import { Feed } from './feed.js';
import { BookingForm } from './form.js';
import { Grid } from './grid.js';
import { Panel } from './panel.js';
import { countText, firstDay, isolated, whenText } from './texts.js';
import { isWithin, type Span, spanOf } from './time.js';
import { readView, toolbar, type View, writeView } from './view.js';

const HOUR = 3_600_000;
/** Milliseconds between two redraws without news: time passes, and what was read becomes old. */
const TICK = 5_000;
const FIRST_VISIT = `Nothing is booked at a time yet. Name a room, a desk or whatever is to be shared in the form, and book it: \
from then on it has a row here, in which free time can be dragged over.`;
const NOTHING_BOOKED = `Nothing is booked here. Choose free time to book it. Other resources: type their name under New booking.`;

const bookings = new Bookings();
const named = document.querySelector<HTMLMetaElement>('meta[name="bookings-resources"]')!.content.split(',');
for (const resource of named) if (resource.trim() !== '') bookings.addResource(resource.trim());
const grid = new Grid(bookings);
const connection = new Connection(() => {
  setCanBook(true);
  feed.tryNow();
  void openLink();
});
const client = new BookingsClient({
  // The service of the page. Never one that the query names, or a link could send a token to its author.
  baseUrl: new URL('.', document.baseURI).href,
  headers: (): Record<string, string> => (connection.token ? { authorization: `Bearer ${connection.token}` } : {}),
});
const feed = new Feed(client, bookings, draw);
const panel = new Panel(grid, () => form.close());
const form = new BookingForm(client, bookings, grid, booked, (error) => {
  if (error instanceof ForbiddenError) setCanBook(false);
  else if (error instanceof UnauthenticatedError) connection.ask(error);
  else feed.refresh();
});
/** Whether the page offers to book: until the service first says that this token cannot. */
let canBook = true;
let isOffered = false;
let view = readView(location.search);
let span: Span;

const bar = toolbar((change) => {
  const before = view;
  view = { ...view, ...change };
  const isTyping = 'filter' in change || 'free' in change || 'at' in change;
  if (writeView(view) !== writeView(before))
    history[isTyping ? 'replaceState' : 'pushState'](null, '', writeView(view));
  show(before);
  // Also if today is shown already.
  if ('date' in change && view.date === undefined) scrollToStart();
});

function setCanBook(can: boolean): void {
  if (can === canBook) return;
  canBook = can;
  document.body.classList.toggle('looking', !can);
  if (!can) showToast('This token cannot create bookings: nothing was booked, and the page only shows what is.');
  panel.close();
}

const choices = {
  open(one: Booked) {
    if (!form.isOpen) return panel.showDetails(one.booking);
    grid.mark('open', one);
    showToast(`${isolated(one.label)}, ${whenText(span.zone, one)}. Finish or cancel the open form for more.`);
  },
  openDay(date: string) {
    bar.change({ date, span: 'day' });
    if (grid.active) grid.activate(grid.active.resource, hourOf(9));
  },
  canBook: () => canBook,
  book(slot: Slot) {
    if (!bookings.isUnread({ start: slot.start, end: slot.start + 1 })) return openForm(slot);
    grid.mark('chosen');
    form.showSlot();
    showToast('This time has not been read.');
  },
  close: () => panel.close(),
};

function openForm(slot: Slot): void {
  if (!canBook) return;
  grid.mark('open');
  if (!form.isOpen) panel.showForm();
  form.open(slot);
}

/** Offers an hour: the next free one of a resource on the clock, in another day from nine o'clock on. */
function openNew(): void {
  const [resource, now] = [grid.active?.resource ?? '', Date.now()];
  const onTheHour = (at: number) => at + ((HOUR - (span.zone.local(at) % HOUR)) % HOUR);
  const first = isWithin(span, now) ? onTheHour(now) : hourOf(9);
  const found = bookings
    .parts(resource, { start: first, end: span.end })
    .find((part) => !part.booked && !part.isUnread && part.end - onTheHour(part.start) >= HOUR);
  const start = found ? onTheHour(found.start) : first;
  openForm({ resource, start, end: start + HOUR });
}

function hourOf(hour: number): number {
  return span.days[0]!.hours.find((one) => one.hour === hour)?.at ?? span.start;
}

/** Shows the view; `before` is the previous one. */
function show(before?: View): void {
  const isOtherTime = before?.date !== view.date || before?.span !== view.span || before.zone !== view.zone;
  if (isOtherTime) span = spanOf(view, Date.now(), firstDay);
  bar.show(view, span);
  if (isOtherTime) feed.show(span);
  draw();
  if (isOtherTime) scrollToStart();
}

/** Scrolls a day to now, or to seven o'clock of another one on which the clock does not change. */
function scrollToStart(): void {
  const first = span.end - span.start === 24 * HOUR ? hourOf(7) : span.start;
  if (isWithin(span, Date.now())) grid.scrollTo(Date.now(), 1 / 4);
  else grid.scrollTo(first, 0);
}

function draw(): void {
  grid.draw(span, view);
  form.showSlot();
  const { resources, share } = bookings;
  const shown = resources.reduce((sum, resource) => sum + bookings.booked(resource, span).length, 0);
  const counts = `${countText(shown, 'booking')} · ${countText(resources.length, 'resource')} known`;
  connection.show(feed, bookings, counts, span.zone);
  panel.refresh(bookings);
  const isFirst = share === 1 && resources.length === 0;
  const missing =
    grid.resources.length === 0 ? 'No resource and no booking here matches.' : shown > 0 ? '' : NOTHING_BOOKED;
  write('empty', isFirst ? FIRST_VISIT : missing);
  byId('empty').hidden = share < 1 || (!isFirst && missing === '');
  if (isFirst && !isOffered) openNew();
  isOffered ||= isFirst;
}

function booked(booking: BookingDto, isOpen: boolean): void {
  const own = bookedOf(booking)!;
  bookings.add([booking]);
  if (isOpen) panel.close();
  draw();
  if (isOpen && isWithin(span, own.start) && grid.resources.includes(own.resource))
    grid.activate(own.resource, own.start, 'reveal');
  showToast(`Booked ${isolated(own.resource)}, ${whenText(span.zone, own)}.`);
}

/** Opens the booking that the address names, in its day. */
async function openLink(): Promise<void> {
  const id = decodeURIComponent(location.hash.slice(1));
  if (id === '' || form.isOpen || panel.shown?.booking_id === id) return;
  try {
    const booking = await client.get(id, { maxRetries: 0 });
    const own = bookedOf(booking);
    if (own && !isWithin(span, own.start)) bar.change({ date: span.zone.date(own.start) });
    bookings.add([booking]);
    draw();
    panel.showDetails(booking);
  } catch {
    showToast('This booking cannot be shown. It may have been deleted.');
  }
}

/** Letters, and arrows outside the grid, where nothing is typed. */
const keys: Record<string, () => void> = {
  t: () => bar.change({ date: undefined }),
  d: () => bar.change({ span: 'day' }),
  w: () => bar.change({ span: 'week' }),
  n: openNew,
  '/': () => byId('filter').focus(),
  ArrowLeft: () => bar.move(-1),
  ArrowRight: () => bar.move(1),
};
addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, altKey, metaKey } = event;
  const isTyping = (target as Element).closest('input, select, textarea, dialog, #panel') !== null;
  if (ctrlKey || altKey || metaKey || isTyping || !(key in keys)) return;
  event.preventDefault();
  keys[key]!();
});
addEventListener('popstate', () => {
  const before = view;
  view = readView(location.search);
  show(before);
});
addEventListener('hashchange', () => void openLink());
byId('new').addEventListener('click', openNew);
chooseByPointer(grid, choices);
chooseByKeys(grid, choices);
// Today changes at midnight.
setInterval(() => document.hidden || ((view.date ?? isWithin(span, Date.now())) ? draw() : show()), TICK);
show();
void openLink();
