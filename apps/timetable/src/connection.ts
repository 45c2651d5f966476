import { ForbiddenError, type ProblemError, UnexpectedResponseError } from '@booking-service/client';
import { type Bookings, INTERVAL } from './bookings.js';
import { byId, kept, write } from './dom.js';
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
    const { failure, isDenied, notBefore, again } = feed;
    const isLimited = failure === undefined && notBefore > Date.now();
    const isTrouble = failure !== undefined || isLimited;
    const last = isTrouble ? 'Last read' : `refreshed every ${INTERVAL / 1000} s, last`;
    const parts = [
      isTrouble ? '' : counts,
      failure && !isDenied ? `Next attempt at ${secondText(zone, again)}` : '',
      isLimited ? `Reading continues at ${secondText(zone, notBefore)}` : '',
      share < 1 ? `${Math.floor(share * 100)} % read` : `${last} at ${secondText(zone, polledAt)}`,
      share === 1 && isFresh ? '' : 'What is hatched may be taken',
    ];
    write('trouble', isLimited ? 'The service limits requests' : troubleText(feed, zone));
    write('status', parts.filter(Boolean).join(' · '));
    byId('grid').ariaBusy = String(share < 1);
    byId('try-now').hidden = isDenied || !isTrouble;
    byId('give-token').hidden = !isDenied && this.#token === '';
    if (isDenied && this.#failure !== failure) this.ask(failure!.error);
    this.#failure = failure;
  }
}

function troubleText({ failure, isDenied }: Feed, zone: Zone): string {
  if (failure === undefined) return '';
  if (isDenied) return 'The service requires a token';
  const since = `since ${secondText(zone, failure.since)}`;
  if (!navigator.onLine) return `You are offline ${since}`;
  if ((failure.error as Partial<ProblemError>).status === 429) return `The service has limited requests ${since}`;
  // A redirect, or a page: a proxy that has signed the user out.
  if (failure.error instanceof UnexpectedResponseError)
    return `Another server responds ${since}: reload the page, and sign in`;
  return `The service has not responded ${since}`;
}
