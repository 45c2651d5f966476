import { ForbiddenError, ProblemError } from '@booking-service/client';
import { type Bookings, INTERVAL } from './bookings.js';
import { byId, keep, kept, write } from './dom.js';
import type { Feed } from './feed.js';
import { secondText, timeText } from './texts.js';
import type { Zone } from './time.js';

/** Milliseconds that a toast is shown. */
const SEEN = 6_000;
/** The token of this tab in `sessionStorage`. */
const TOKEN = 'bookings-token';

let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows a toast, and announces it to screen readers. */
export function showToast(text: string): void {
  const toast = byId('toast');
  byId('said').textContent = toast.textContent = text;
  toast.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => (toast.hidden = true), SEEN);
}

/** The status line, which says how fresh the page is and why it is not, and the dialog that requests a token. */
export class Connection {
  token = kept(TOKEN);
  readonly #dialog = byId('token-dialog') as HTMLDialogElement;
  /** The failure for which a token was requested, and whether the service was said to be away. */
  #asked: Feed['failure'];
  #wasDown = false;

  /** @param tryNow called when there is a new token, and when the user asks for it */
  constructor(tryNow: () => void) {
    const input = byId('token') as HTMLInputElement;
    byId('forget').hidden = this.token === undefined;
    byId('try-now').addEventListener('click', tryNow);
    byId('give-token').addEventListener('click', () => this.#dialog.showModal());
    byId('forget').addEventListener('click', () => {
      keep(TOKEN, '');
      location.reload();
    });
    byId('token-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.token = input.value.trim().replace(/^Bearer\s+/i, '');
      keep(TOKEN, this.token);
      byId('forget').hidden = false;
      input.value = '';
      this.#dialog.close();
      tryNow();
    });
  }

  /** Requests a token, and says why: each reason has its text in the page. */
  ask(error: unknown): void {
    if (this.#dialog.open) return;
    const reason = error instanceof ForbiddenError ? 'forbidden' : 'unknown';
    const why = byId('token-why');
    why.textContent = why.dataset[this.token === undefined ? 'missing' : reason]!;
    this.#dialog.showModal();
  }

  /** @param counts of what is shown */
  show(feed: Feed, bookings: Bookings, counts: string, zone: Zone): void {
    const { failure, isDenied, notBefore } = feed;
    const { share, polledAt, isFresh } = bookings;
    const trouble = troubleText(feed, zone);
    let then = polledAt === -Infinity ? 'nothing has been read yet' : `last read at ${secondText(zone, polledAt)}`;
    if (trouble === '' && share < 1) then = `reading, ${Math.floor(share * 100)} %`;
    if (trouble === '' && share === 1 && isFresh)
      then = `updated ${timeText(zone, polledAt)}, refreshed every ${INTERVAL / 1000} s`;
    const hatched = share === 1 && isFresh ? '' : ' · What is hatched may be taken';
    write(byId('status'), `${trouble || counts} · ${then}${hatched}`);
    byId('status').classList.toggle('warn', trouble !== '');
    byId('grid').ariaBusy = String(share < 1);
    byId('try-now').hidden = isDenied || (failure === undefined && notBefore <= Date.now());
    byId('give-token').hidden = !isDenied;
    if (isDenied && this.#asked !== failure) this.ask((this.#asked = failure)!.error);
    if (this.#wasDown !== (failure !== undefined)) byId('said').textContent = trouble || 'The service is back.';
    this.#wasDown = failure !== undefined;
  }
}

function troubleText({ failure, isDenied, again, notBefore }: Feed, zone: Zone): string {
  if (isDenied) return 'The service requires a token';
  if (failure) {
    const isBusy = failure.error instanceof ProblemError && failure.error.status === 429;
    const why = isBusy ? 'The service has limited requests' : 'The service has not responded';
    return `${why} since ${secondText(zone, failure.since)}. Next attempt at ${secondText(zone, again)}`;
  }
  return notBefore > Date.now()
    ? `The service limits requests. Reading continues at ${secondText(zone, notBefore)}`
    : '';
}
