import { BookingsClient, ForbiddenError, type ProblemError, UnexpectedResponseError } from '@booking-service/client';
import { bookings, INTERVAL } from './bookings.js';
import { byId, kept, write } from './dom.js';
import type { Feed } from './feed.js';
import { secondText } from './texts.js';
import { span } from './view.js';

const TOKEN_KEY = 'bookings-token';

/** Reasons why the page cannot be read now. */
const TROUBLES = {
  none: '',
  limited: 'The service limits requests',
  denied: 'The service requires a token',
  offline: 'You are offline',
  refused: 'The service has limited requests',
  // A proxy that has signed the user out responds with a redirect, or a page.
  elsewhere: 'Reload the page, and sign in: another server has responded',
  silent: 'The service has not responded',
};

const dialog = byId('token-dialog') as HTMLDialogElement;
const input = byId('token') as HTMLInputElement;
let token = kept(TOKEN_KEY);
/** The failure for which a token was requested. */
let askedFor: Feed['failure'];

export const client = new BookingsClient({
  // The service of the page. Never one that the query names, or a link could send a token to its author.
  baseUrl: new URL('.', document.baseURI).href,
  headers: (): Record<string, string> => (token === '' ? {} : { authorization: `Bearer ${token}` }),
});

/** @param tryNow called when there is a new token, and when the user asks for it */
export function onRetry(tryNow: () => void): void {
  byId('try-now').addEventListener('click', tryNow);
  byId('token-form').addEventListener('submit', () => {
    token = input.value.trim().replace(/^Bearer\s+/i, '');
    kept(TOKEN_KEY, token);
    input.value = '';
    tryNow();
  });
}
byId('give-token').addEventListener('click', () => dialog.showModal());

/** Requests a token, and says why. */
export function askForToken(error: unknown): void {
  if (dialog.open) return;
  const isForbidden = error instanceof ForbiddenError;
  const unknown = 'The service does not accept this token: it is unknown, revoked or expired.';
  const why = isForbidden ? 'The token lacks the scope to read bookings (bookings:read).' : unknown;
  write('token-why', token === '' ? 'This service requires a token.' : why);
  dialog.showModal();
}

/** Says how fresh the page is and, if it is not, why. @param counts of what is shown */
export function showStatus(feed: Feed, counts: string): void {
  const { failure } = feed;
  const trouble = troubleOf(feed);
  const since = failure && trouble !== 'denied' ? ` since ${secondText(span.zone, failure.since)}` : '';
  write('trouble', TROUBLES[trouble] + since);
  write('status', statusOf(feed, trouble === 'none' ? counts : '', failure !== undefined && trouble !== 'denied'));
  byId('grid').ariaBusy = String(bookings.share < 1);
  byId('try-now').hidden = trouble === 'none' || trouble === 'denied';
  byId('give-token').hidden = trouble !== 'denied' && token === '';
  if (trouble === 'denied' && askedFor !== failure) askForToken(failure!.error);
  askedFor = failure;
}

function troubleOf({ failure, isDenied, notBefore }: Feed): keyof typeof TROUBLES {
  if (failure === undefined) return notBefore > Date.now() ? 'limited' : 'none';
  if (isDenied) return 'denied';
  if (!navigator.onLine) return 'offline';
  if ((failure.error as Partial<ProblemError>).status === 429) return 'refused';
  return failure.error instanceof UnexpectedResponseError ? 'elsewhere' : 'silent';
}

/** @param counts empty while there is trouble */
function statusOf({ again, notBefore }: Feed, counts: string, isRetried: boolean): string {
  const { share, isFresh, polledAt } = bookings;
  const time = (at: number) => secondText(span.zone, at);
  const last = counts === '' ? 'Last read' : `refreshed every ${INTERVAL / 1000} s, last`;
  const parts = [
    counts,
    isRetried ? `Next attempt at ${time(again)}` : '',
    !isRetried && notBefore > Date.now() ? `Reading continues at ${time(notBefore)}` : '',
    share < 1 ? `${Math.floor(share * 100)} % read` : `${last} at ${time(polledAt)}`,
    share === 1 && isFresh ? '' : 'What is hatched may be taken',
  ];
  return parts.filter(Boolean).join(' · ');
}
