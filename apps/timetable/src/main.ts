import { type BookingDto, BookingsClient, ForbiddenError, UnauthenticatedError } from '@booking-service/client';
import { bookingForm } from './booking-form.js';
import { byId, inNextFrame } from './dom.js';
import { makeFeed } from './feed.js';
import { makeGrid } from './grid.js';
import { chooseByKeys } from './keyboard.js';
import { isolated } from './label.js';
import { sidePanel } from './panel.js';
import { type Choices, choosePointing } from './pointer.js';
import type { DrawnCell } from './cell-view.js';
import { Schedule, type Slot } from './schedule.js';
import { type Day, isWithin, type Span, spanOf } from './span.js';
import { firstDay, whenText } from './texts.js';
import { notice, showState, showToast } from './status.js';
import { tokenDialog } from './token.js';
import { toolbar } from './toolbar.js';
import { readView, type View, writeView } from './view.js';

const HOUR = 3_600_000;

const schedule = new Schedule();
const named = document.querySelector<HTMLMetaElement>('meta[name="bookings-resources"]')!;
schedule.addResources(
  named.content
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean),
);
const grid = makeGrid(schedule);
const tokens = tokenDialog(() => {
  setCanBook(true);
  feed.tryNow();
});
const client = new BookingsClient({
  // The service of the page. Never one that the query names, or a link could send a token to its author.
  baseUrl: new URL('.', document.baseURI).href,
  headers: () => {
    const token = tokens.token();
    return token === undefined ? {} : { authorization: `Bearer ${token}` };
  },
});
const feed = makeFeed(client, schedule, inNextFrame(draw), (error) => tokens.ask(error instanceof ForbiddenError));
byId('try-now').addEventListener('click', feed.tryNow);
byId('give-token').addEventListener('click', tokens.open);

let view = readView(location.search);
let span: Span = spanOf(view, Date.now(), firstDay);

const bar = toolbar((change) => {
  const before = view;
  view = { ...view, ...change };
  const isTyping = 'filter' in change || 'free' in change || 'at' in change;
  const isOther = writeView(view) !== writeView(before);
  if (isOther) history[isTyping ? 'replaceState' : 'pushState'](null, '', writeView(view));
  show(before);
  // Also if today is shown already.
  if ('date' in change && view.date === undefined) scrollToStart();
});
addEventListener('popstate', () => {
  const before = view;
  view = readView(location.search);
  show(before);
});

/** Whether the page offers to book: until the service first says that this token cannot. */
let canBook = true;

function setCanBook(can: boolean): void {
  if (can === canBook) return;
  canBook = can;
  document.body.classList.toggle('looking', !can);
  notice(can ? '' : 'This token cannot create bookings: nothing was booked, and the page only shows what is.');
  opener = undefined;
  panel.close();
}

/** What gets the focus back from the form; without it, the active cell does. */
let opener: HTMLElement | undefined;
const panel = sidePanel(schedule, grid, () => {
  form.close();
  grid.mark('open');
  const { active } = grid;
  if (opener) opener.focus();
  else if (active) grid.activate(active.row, active.at, true);
});
const form = bookingForm({
  client,
  schedule,
  grid,
  booked,
  failed: (error) => {
    if (error instanceof ForbiddenError) setCanBook(false);
    else if (error instanceof UnauthenticatedError) tokens.ask(false);
    else feed.refresh();
  },
});
const choices: Choices = {
  open: ({ resource, start, booked: shown, crowd }: DrawnCell) => {
    if (shown && form.isOpen()) {
      showToast('Finish or cancel the open form first.');
    } else if (shown) {
      opener = undefined;
      panel.showDetails(shown);
    }
    if (crowd) {
      bar.change({ date: crowd.date, span: 'day' });
      grid.activate(resource, start, true);
    }
  },
  canBook: () => canBook,
  book: (slot: Slot) => {
    // Whether it is free is not known.
    if (!schedule.isUnread({ start: slot.start, end: slot.start + 1 })) {
      openForm(slot);
    } else {
      grid.mark('chosen');
      form.showSlot();
      showToast('This time has not been read.');
    }
  },
  stretch: form.move,
  close: panel.close,
};
choosePointing(grid, choices);
chooseByKeys(grid, choices);
byId('new').addEventListener('click', () => {
  const { row = '' } = grid.active ?? {};
  const resource = schedule.hasResource(row) ? row : '';
  const start = suggestedStart(resource);
  openForm({ resource, start, end: start + HOUR });
  opener = byId('new');
});

function openForm(slot: Slot): void {
  if (!canBook) return;
  opener = undefined;
  grid.mark('open');
  if (!form.move(slot)) {
    panel.showForm();
    form.open(slot);
  }
  grid.reveal('chosen');
}

/** The start of an hour to book: the next free one of a resource on the clock, in another day from nine o'clock on. */
function suggestedStart(resource: string): number {
  const now = Date.now();
  const onTheHour = (at: number) => at + ((HOUR - (span.zone.local(at) % HOUR)) % HOUR);
  const nine = span.days[0]!.ticks.find(({ hour }) => hour === 9)?.at ?? span.start;
  const first = isWithin(span, now) ? onTheHour(now) : nine;
  const free = schedule.cells(resource, first, span.end).filter((cell) => !cell.booked && !cell.isUnread);
  const found = free.find(({ start, end }) => end - onTheHour(start) >= HOUR);
  return found ? onTheHour(found.start) : first;
}

/** Shows the view; `before` is the previous one. */
function show(before?: View): void {
  const isOtherTime = before?.date !== view.date || before?.span !== view.span || before.zone !== view.zone;
  if (isOtherTime) {
    span = spanOf(view, Date.now(), firstDay);
    if (before) notice('');
  }
  bar.show(view, span);
  if (isOtherTime) feed.show(span);
  draw();
  if (isOtherTime) scrollToStart();
}

/** Scrolls to now, or to seven o'clock of another day on which the clock does not change. */
function scrollToStart(): void {
  const now = Date.now();
  const [{ ticks, change }] = span.days as [Day];
  const seven = change ? undefined : ticks.find(({ hour }) => hour === 7)?.at;
  if (isWithin(span, now)) grid.scrollToTime(now, 1 / 4);
  else grid.scrollToTime((view.span === 'day' && seven) || span.start, 0);
}

function draw(): void {
  grid.draw(span, view);
  form.showSlot();
  const { state } = feed;
  panel.refresh();
  const names = [...schedule.resources];
  const shown = names.reduce((sum, name) => sum + schedule.booked(name, span.start, span.end).length, 0);
  showState(state, `${count(shown, 'booking')} · ${count(names.length, 'resource')}`, span.zone);
  let missing = shown > 0 ? '' : canBook ? 'bookings' : 'nothing';
  if (grid.rows.length === 0) missing = 'rows';
  if (names.length === 0) missing = 'resources';
  const empty = byId('empty');
  empty.hidden = state.share < 1 || missing === '';
  empty.firstElementChild!.textContent = empty.dataset[missing] ?? '';
}

function count(number: number, what: string): string {
  return `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;
}

function booked(booking: BookingDto, isOpen: boolean): void {
  schedule.add([booking]);
  if (isOpen) panel.close();
  const { slot } = booking;
  if (slot === undefined) return;
  const start = Date.parse(slot.start);
  draw();
  const isShown = isWithin(span, start) && grid.indexOf(slot.resource_id) >= 0;
  if (isOpen && isShown) grid.activate(slot.resource_id, start, true);
  showToast(`Booked ${isolated(slot.resource_id)}, ${whenText(span.zone, start, Date.parse(slot.end))}.`);
}

/** Moves the line of the current time, and shows the next day at midnight if today is shown. */
setInterval(() => {
  if (document.hidden) return;
  if (view.date === undefined && !isWithin(span, Date.now())) show();
  else grid.drawNow();
}, 20_000);

show();
