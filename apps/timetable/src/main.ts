import {
  type BookingDto,
  BookingNotFoundError,
  BookingsClient,
  ForbiddenError,
  UnauthenticatedError,
} from '@booking-service/client';
import { bookedOf, Bookings, type Slot } from './bookings.js';
import { chooseByKeys, chooseByPointer } from './choices.js';
import { Connection, showToast } from './connection.js';
import { byId, keep, write } from './dom.js';
import { Feed } from './feed.js';
import { BookingForm } from './form.js';
import { Grid } from './grid.js';
import { name, NAME } from './inputs.js';
import { Panel } from './panel.js';
import { countText, firstDay, isolated, whenText } from './texts.js';
import { isWithin, type Span, spanOf } from './time.js';
import { readView, toolbar, type View, writeView } from './view.js';

const HOUR = 3_600_000;
/** Milliseconds between two redraws without news: time passes, and what was read becomes old. */
const TICK = 5_000;

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
  headers: () => (connection.token === undefined ? {} : { authorization: `Bearer ${connection.token}` }),
});
let frame = 0;
const feed = new Feed(client, bookings, () => {
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(draw);
});
const panel = new Panel(grid, () => {
  form.close();
  grid.mark('open');
});
const form = new BookingForm(client, bookings, grid, booked, (error) => {
  if (error instanceof ForbiddenError) setCanBook(false);
  else if (error instanceof UnauthenticatedError) connection.ask(error);
  else feed.refresh();
});

let view = readView(location.search);
let span: Span = spanOf(view, Date.now(), firstDay);
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
addEventListener('popstate', () => {
  const before = view;
  view = readView(location.search);
  show(before);
});
addEventListener('hashchange', () => void openLink());

/** Whether the page offers to book: until the service first says that this token cannot. */
let canBook = true;
/** Whether the form was offered on an empty page. */
let isOffered = false;

function setCanBook(can: boolean): void {
  if (can === canBook) return;
  canBook = can;
  document.body.classList.toggle('looking', !can);
  if (!can) showToast('This token cannot create bookings: nothing was booked, and the page only shows what is.');
  panel.close();
}

const choices = {
  open(booked: NonNullable<ReturnType<typeof bookedOf>>) {
    if (!form.isOpen) return panel.showDetails(booked.booking);
    grid.mark('open', booked);
    showToast(`${isolated(booked.label)}, ${whenText(span.zone, booked)}. Finish or cancel the open form for more.`);
  },
  openDay: (date: string) => bar.change({ date, span: 'day' }),
  canBook: () => canBook,
  book(slot: Slot) {
    // Whether it is free is not known.
    if (!bookings.isUnread({ start: slot.start, end: slot.start + 1 })) return openForm(slot);
    grid.mark('chosen');
    form.showSlot();
    showToast('This time has not been read.');
  },
  close: () => panel.close(),
};
chooseByPointer(grid, choices);
chooseByKeys(grid, choices);
byId('new').addEventListener('click', openNew);

function openForm(slot: Slot): void {
  if (!canBook) return;
  grid.mark('open');
  if (!form.isOpen) panel.showForm();
  form.open(slot);
}

/** Offers an hour: the next free one of a resource on the clock, in another day from nine o'clock on. */
function openNew(): void {
  const { resource = '' } = grid.active ?? {};
  const now = Date.now();
  const onTheHour = (at: number) => at + ((HOUR - (span.zone.local(at) % HOUR)) % HOUR);
  const nine = span.days[0]!.hours.find(({ hour }) => hour === 9)?.at ?? span.start;
  const first = isWithin(span, now) ? onTheHour(now) : nine;
  const free = bookings
    .parts(resource, { start: first, end: span.end })
    .filter((part) => !part.booked && !part.isUnread);
  const found = free.find((part) => part.end - onTheHour(part.start) >= HOUR);
  const start = found ? onTheHour(found.start) : first;
  openForm({ resource, start, end: start + HOUR });
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
  const now = Date.now();
  const { hours, change } = span.days[0]!;
  const seven = change ? undefined : hours.find(({ hour }) => hour === 7)?.at;
  if (isWithin(span, now)) grid.scrollTo(now, 1 / 4);
  else grid.scrollTo(seven ?? span.start, 0);
}

function draw(): void {
  grid.draw(span, view);
  form.showSlot();
  panel.refresh(bookings);
  const { resources } = bookings;
  const shown = resources.reduce((sum, resource) => sum + bookings.booked(resource, span).length, 0);
  const counts = `${countText(shown, 'booking')} · ${countText(resources.length, 'resource')} known`;
  connection.show(feed, bookings, counts, span.zone);
  const isEmpty = bookings.share === 1 && resources.length === 0;
  let missing = shown > 0 ? '' : canBook ? 'bookings' : 'nothing';
  if (grid.resources.length === 0) missing = isEmpty ? 'resources' : 'rows';
  const empty = byId('empty');
  empty.hidden = bookings.share < 1 || missing === '';
  write(empty.firstElementChild as HTMLElement, empty.dataset[missing] ?? '');
  if (!isEmpty || isOffered) return;
  isOffered = true;
  openNew();
}

function booked(booking: BookingDto, isOpen: boolean): void {
  bookings.add([booking]);
  keep(NAME, name.value);
  if (isOpen) panel.close();
  draw();
  const own = bookedOf(booking)!;
  const isShown = isWithin(span, own.start) && grid.resources.includes(own.resource);
  if (isOpen && isShown) grid.activate(own.resource, own.start, 'reveal');
  showToast(`Booked ${isolated(own.resource)}, ${whenText(span.zone, own)}.`);
}

/** Opens the booking that the address names, in its day. */
async function openLink(): Promise<void> {
  const id = decodeURIComponent(location.hash.slice(1));
  if (id === '' || form.isOpen || panel.shownId === id) return;
  try {
    const booking = await client.get(id, { maxRetries: 0 });
    const own = bookedOf(booking);
    if (own && !isWithin(span, own.start)) bar.change({ date: span.zone.date(own.start) });
    bookings.add([booking]);
    draw();
    panel.showDetails(booking);
  } catch (error) {
    // The feed says when the service does not respond, or requires a token.
    if (error instanceof BookingNotFoundError) showToast('There is no such booking. It may have been deleted.');
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
  if (ctrlKey || altKey || metaKey || (target as Element).closest('input, select, textarea, dialog, #panel')) return;
  if (!(key in keys)) return;
  event.preventDefault();
  keys[key]!();
});

setInterval(() => {
  if (document.hidden) return;
  // At midnight, today is another day.
  if (view.date === undefined && !isWithin(span, Date.now())) show();
  else draw();
}, TICK);

show();
void openLink();
