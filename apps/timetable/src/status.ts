/** The footer: how fresh the data is and, if it is stale, why. */

import { type ProblemError, UnexpectedResponseError } from '@booking-service/client';
import { isWall } from './address.js';
import { bookings, INTERVAL } from './bookings.js';
import { clockAt, elapsed, type Moment } from './clock.js';
import { askForToken, hasToken, stopAsking } from './connection.js';
import { byId, write } from './dom.js';
import type { Feed } from './feed.js';
import { resources } from './grid.js';
import { secondText } from './texts.js';
import { isAgenda, span } from './view.js';

/** When the failures began that were last shown. An unbroken series of them asks for a token at most once. */
let askedFor: Moment | undefined;

/** @param counts the numbers of bookings and resources, as text */
export function showStatus(feed: Feed, counts: string): void {
  const { failure, isDenied } = feed;
  const trouble = troubleOf(feed);
  const since = failure && !isDenied ? ` since ${clock(failure.since.at)}` : '';
  write('trouble', trouble + since);
  const known = trouble === '' && bookings.share > 0 ? counts : '';
  write('status', [known, ...progressOf(feed, trouble)].filter(Boolean).join(' · '));
  byId('grid').ariaBusy = String(bookings.share < 1);
  byId('try-now').hidden = trouble === '' || isDenied;
  byId('give-token').hidden = !isDenied && !hasToken();
  // A screen on a wall shows what it has read, and nobody is there to enter a token.
  const isUnattended = isWall && bookings.polledAt.at > 0;
  if (isDenied && askedFor !== failure!.since && !isUnattended) askForToken(failure!.error);
  if (!failure && askedFor) stopAsking();
  askedFor = failure?.since;
}

/** @param listener called when the user wants a request now, rather than after a pause */
export function onTryNow(listener: () => void): void {
  byId('try-now').addEventListener('click', listener);
}

/** Why bookings cannot be read now, or only slowly; empty if they can. */
function troubleOf({ failure, isDenied, notBefore }: Feed): string {
  if (failure === undefined) return notBefore > elapsed() ? 'Reading slowly: the service limits requests' : '';
  if (isDenied) return 'The service requires a token';
  if (!navigator.onLine) return 'You are offline';
  const { error } = failure;
  const { status } = error as Partial<ProblemError>;
  if (status === 429) return 'Too many requests: the service has rejected reads';
  // A proxy that signed the user out responds with a page of its own, a redirect, or a 401 or 403 without a problem.
  if (status === 401 || status === 403) return 'Reload the page, and sign in: another server has denied access';
  if (status! >= 500) return `The service has failed (${status})`;
  const isOther = error instanceof UnexpectedResponseError;
  return isOther ? 'Reload the page, and sign in: another server has responded' : 'The service has not responded';
}

/** Texts about the next attempt, a pause, the progress of reading and what may be taken. Some may be empty. */
function progressOf({ failure, isDenied, nextTurnAt, notBefore }: Feed, trouble: string): string[] {
  const { share, isFresh, polledAt } = bookings;
  const isRetried = failure !== undefined && !isDenied;
  const isPaused = !isRetried && notBefore > elapsed();
  const last = trouble === '' ? `refreshed every ${INTERVAL / 1000} s, last` : 'Last read';
  return [
    isRetried ? `Next attempt at ${clock(clockAt(nextTurnAt))}` : '',
    isPaused ? `Reading continues at ${clock(clockAt(notBefore))}` : '',
    share < 1 ? `${Math.floor(share * 100)} % read` : `${last} at ${clock(polledAt.at)}`,
    (share === 1 && isFresh) || isAgenda() || resources.length === 0 ? '' : 'Hatched time may be taken',
  ];
}

function clock(instant: number): string {
  return secondText(span.zone, instant);
}
