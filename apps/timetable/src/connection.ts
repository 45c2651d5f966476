import { ForbiddenError, type ProblemError } from '@booking-service/client';
import { type Bookings, INTERVAL } from './bookings.js';
import { byId, kept, showToast, write } from './dom.js';
import type { Feed } from './feed.js';
import { secondText } from './texts.js';
import type { Zone } from './time.js';

const TOKEN_KEY = 'bookings-token';

/** The status line, which says how fresh the page is and why it is not, and the dialog that requests a token. */
export class Connection {
  #token = kept(TOKEN_KEY);
  readonly #dialog = byId('token-dialog') as HTMLDialogElement;
  #failure: Feed['failure'];

  /** @param tryNow called when there is a new token, and when the user asks for it */
  constructor(tryNow: () => void) {
    const input = byId('token') as HTMLInputElement;
    byId('try-now').addEventListener('click', tryNow);
    byId('give-token').addEventListener('click', () => this.#dialog.showModal());
    byId('token-form').addEventListener('submit', () => {
      this.#token = input.value.trim().replace(/^Bearer\s+/i, '');
      kept(TOKEN_KEY, this.#token);
      input.value = '';
      tryNow();
    });
  }

  get headers(): Record<string, string> {
    return this.#token === '' ? {} : { authorization: `Bearer ${this.#token}` };
  }

  ask(error: unknown): void {
    if (this.#dialog.open) return;
    let why = 'The service does not accept this token: it is unknown, revoked or expired.';
    if (error instanceof ForbiddenError) why = 'The token lacks the scope to read bookings (bookings:read).';
    write('token-why', this.#token === '' ? 'This service requires a token.' : why);
    this.#dialog.showModal();
  }

  show(feed: Feed, { share, polledAt, isFresh }: Bookings, counts: string, zone: Zone): void {
    const { failure, isDenied, notBefore } = feed;
    const [trouble, isKnown] = [troubleText(feed, zone), share === 1 && isFresh];
    const known = trouble ? 'last read at' : `refreshed every ${INTERVAL / 1000} s, last at`;
    const then = share < 1 ? `${Math.floor(share * 100)} % read` : `${known} ${secondText(zone, polledAt)}`;
    write('status', `${trouble || counts} · ${then}${isKnown ? '' : ' · What is hatched may be taken'}`);
    byId('status').classList.toggle('warn', trouble !== '');
    byId('grid').ariaBusy = String(share < 1);
    byId('try-now').hidden = isDenied || (failure === undefined && notBefore <= Date.now());
    byId('give-token').hidden = !isDenied && this.#token === '';
    if (isDenied && this.#failure !== failure) this.ask(failure!.error);
    if (failure && this.#failure === undefined) showToast(trouble);
    this.#failure = failure;
  }
}

function troubleText({ failure, isDenied, again, notBefore }: Feed, zone: Zone): string {
  if (isDenied) return 'The service requires a token';
  if (failure) {
    const why = (failure.error as Partial<ProblemError>).status === 429 ? 'has limited requests' : 'has not responded';
    return `${navigator.onLine ? `The service ${why}` : 'You are offline'} since ${secondText(zone, failure.since)}. Next attempt at ${secondText(zone, again)}`;
  }
  const isLimited = notBefore > Date.now();
  return isLimited ? `The service limits requests. Reading continues at ${secondText(zone, notBefore)}` : '';
}
