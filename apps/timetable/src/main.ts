import {
  type BookingDto,
  BookingNotFoundError,
  BookingsClient,
  ForbiddenError,
  UnauthenticatedError,
} from '@booking-service/client';
import { bookedOf, Bookings, INTERVAL } from './bookings.js';
import { Choices } from './choices.js';
import { Connection } from './connection.js';
import { byId, showToast, write } from './dom.js';
import { Feed } from './feed.js';
import { BookingForm } from './form.js';
import { Grid } from './grid.js';
import { Panel } from './panel.js';
import { countText, isolated, whenText } from './texts.js';
import { HOUR, hourOf, isWithin } from './time.js';
import { Toolbar } from './view.js';

const NOTHING_BOOKED = `Nothing is booked here yet. Drag over free time in a row, or press “New booking” \
and type the name of whatever is to be shared: a room, a desk, a car. From then on it has a row.`;

class Timetable {
  #isFirstVisit: boolean | undefined;
  /** Whether the booking that the address names is still to be opened: for the first time, or after a failure. */
  #link: 'asked' | 'late' | undefined;
  readonly #bookings = new Bookings();
  readonly #grid = new Grid(this.#bookings);
  readonly #connection = new Connection(() => {
    this.#choices.allow(true);
    this.#link = 'asked';
    this.#feed.refresh(true);
  });
  readonly #client = new BookingsClient({
    // The service of the page. Never one that the query names, or a link could send a token to its author.
    baseUrl: new URL('.', document.baseURI).href,
    headers: () => this.#connection.headers,
  });
  readonly #feed = new Feed(this.#client, this.#bookings, () => this.#draw());
  readonly #toolbar = new Toolbar((isOtherTime) => this.#show(isOtherTime));
  readonly #panel = new Panel(this.#grid, () => this.#form.close());
  readonly #form = new BookingForm(
    this.#client,
    this.#bookings,
    this.#grid,
    (booking, isOpen) => this.#booked(booking, isOpen),
    (error) => {
      if (error instanceof ForbiddenError) this.#choices.allow(false);
      else if (error instanceof UnauthenticatedError) this.#connection.ask(error);
      else this.#feed.refresh();
    },
  );
  readonly #choices = new Choices(this.#grid, this.#bookings, this.#toolbar, this.#panel, this.#form);

  start(): void {
    const named = document.querySelector<HTMLMetaElement>('meta[name="bookings-resources"]')!.content.split(',');
    for (const resource of named) if (resource.trim() !== '') this.#bookings.addResource(resource.trim());
    this.#toolbar.show();
    // What was read becomes old, and today is another day after midnight.
    const isOver = () => this.#toolbar.view.date === '' && !isWithin(this.#toolbar.span, Date.now());
    setInterval(() => document.hidden || (isOver() ? this.#toolbar.show() : this.#draw()), INTERVAL);
  }

  /** Shows the view; another time from the time that is asked for, shortly before now, or seven o'clock on. */
  #show(isOtherTime: boolean): void {
    const { span, view } = this.#toolbar;
    if (isOtherTime) this.#feed.show(span);
    this.#link = 'asked';
    this.#draw();
    if (isOtherTime) {
      const [asked] = view.free ? span.zone.parse(`${span.days[0]!.date}T${view.at}`) : [];
      this.#grid.scrollTo(asked ?? (isWithin(span, Date.now()) ? Date.now() - HOUR : hourOf(span.days[0]!, 7)));
    }
    this.#showFound();
  }

  /** Brings the first booking that a search has found into sight. */
  #showFound(): void {
    if (this.#toolbar.view.filter.trim() === '') return;
    const cells = this.#grid.resources.flatMap((name) => this.#grid.cellsOf(name));
    const found = cells.find(({ isFound }) => isFound);
    if (found) this.#grid.activate(found.resource, Math.max(found.start, this.#toolbar.span.start), 'show');
  }

  #draw(): void {
    const [grid, bookings, { span, view }] = [this.#grid, this.#bookings, this.#toolbar];
    grid.draw(span, view);
    this.#form.showSlot();
    const { resources, share } = bookings;
    const shown = resources.reduce((sum, resource) => sum + bookings.booked(resource, span).length, 0);
    const counts = `${countText(shown, 'booking')} · ${countText(resources.length, 'resource')} known`;
    this.#connection.show(this.#feed, bookings, counts, span.zone);
    this.#panel.refresh(bookings);
    const isFirst = share === 1 && resources.length === 0;
    const isFound = isFirst || grid.resources.length > 0;
    const missing = view.free ? 'No resource here is free then.' : 'Nothing matches this search.';
    write('empty-text', isFound ? NOTHING_BOOKED : missing);
    byId('clear').hidden = isFound;
    byId('empty').hidden = bookings.isUnread(span) || (shown > 0 && isFound);
    if (isFirst && this.#isFirstVisit === undefined) this.#choices.bookNext();
    if (share === 1) this.#isFirstVisit ??= isFirst;
    if (this.#link === 'asked' || (this.#link === 'late' && this.#feed.failure === undefined)) void this.#openLink();
  }

  /** @param isOpen whether by the open form, and not by one that was closed while it was sent */
  #booked(booking: BookingDto, isOpen: boolean): void {
    const [own, { span }] = [bookedOf(booking)!, this.#grid];
    this.#bookings.add([booking]);
    if (isOpen) this.#panel.close();
    this.#feed.refresh();
    // It is shown, whatever was searched for.
    if (!this.#grid.resources.includes(own.resource)) this.#toolbar.change({ filter: '', free: '' });
    if (isOpen && isWithin(span, own.start)) this.#grid.activate(own.resource, own.start, 'reveal');
    showToast(`Booked ${isolated(own.resource)}, ${whenText(span.zone, own)}.`);
  }

  /** Opens the booking that the address names, unless it is shown. Without a response, later draws try again. */
  async #openLink(): Promise<void> {
    const asked = this.#link;
    this.#link = undefined;
    const id = linkedId();
    if (id === '' || this.#form.isOpen || this.#panel.shown?.booking.booking_id === id) return;
    if (id === undefined) return showToast('This link names no booking.');
    try {
      const booking = await this.#client.get(id, { maxRetries: 0 });
      const own = bookedOf(booking);
      if (own === undefined) return showToast('This booking has no time, so it has no place here.');
      const { span } = this.#grid;
      if (!isWithin(span, own.start)) this.#toolbar.change({ date: span.zone.date(own.start) });
      this.#bookings.add([booking]);
      this.#draw();
      this.#panel.showDetails(own);
    } catch (error) {
      if (error instanceof BookingNotFoundError)
        return showToast('This booking does not exist. It may have been deleted.');
      this.#link = 'late';
      if (asked === 'asked') showToast('This booking cannot be read now. It opens as soon as it can be.');
    }
  }
}

/** The id in the address: empty if there is none, undefined if it cannot be one. */
function linkedId(): string | undefined {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return undefined;
  }
}

new Timetable().start();
