/** The footer: how fresh the data is and, if it is stale, why. */

import { type ProblemError, UnexpectedResponseError } from '@booking-service/client';
import { isWall } from './address.js';
import { bookings, INTERVAL } from './bookings.js';
import { clockAt, elapsed, type Moment } from './clock.js';
import { askForToken, hasToken, stopAsking } from './connection.js';
import { byId, write } from './dom.js';
import type { Feed } from './feed.js';
import { secondText } from './texts.js';
import { span } from './view.js';

/** The message for each reason why bookings cannot be read now, or only slowly. */
const TROUBLES = {
  none: '',
  limited: 'Reading slowly: the service limits requests',
  denied: 'The service requires a token',
  offline: 'You are offline',
  refused: 'Too many requests: the service has rejected reads',
  // A proxy that has signed the user out responds with a redirect or a page of its own.
  elsewhere: 'Reload the page, and sign in: another server has responded',
  silent: 'The service has not responded',
};

type Trouble = keyof typeof TROUBLES;

/** When the failures began that were last shown. An unbroken series of them asks for a token at most once. */
let askedFor: Moment | undefined;

/** @param counts the numbers of bookings and resources, as text */
export function showStatus(feed: Feed, counts: string): void {
  const { failure } = feed;
  const trouble = troubleOf(feed);
  const isDenied = trouble === 'denied';
  const since = failure && !isDenied ? ` since ${clock(failure.since.at)}` : '';
  write('trouble', TROUBLES[trouble] + since);
  write('status', [trouble === 'none' ? counts : '', ...progressOf(feed, trouble)].filter(Boolean).join(' · '));
  byId('grid').ariaBusy = String(bookings.share < 1);
  byId('try-now').hidden = trouble === 'none' || isDenied;
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

function troubleOf({ failure, isDenied, notBefore }: Feed): Trouble {
  if (failure === undefined) return notBefore > elapsed() ? 'limited' : 'none';
  if (isDenied) return 'denied';
  if (!navigator.onLine) return 'offline';
  if ((failure.error as Partial<ProblemError>).status === 429) return 'refused';
  return failure.error instanceof UnexpectedResponseError ? 'elsewhere' : 'silent';
}

/** Texts about the next attempt, a pause, the progress of reading and what may be taken. Some may be empty. */
function progressOf({ failure, nextTurnAt, notBefore }: Feed, trouble: Trouble): string[] {
  const { share, isFresh, polledAt } = bookings;
  const isRetried = failure !== undefined && trouble !== 'denied';
  const isPaused = !isRetried && notBefore > elapsed();
  const last = trouble === 'none' ? `refreshed every ${INTERVAL / 1000} s, last` : 'Last read';
  return [
    isRetried ? `Next attempt at ${clock(clockAt(nextTurnAt))}` : '',
    isPaused ? `Reading continues at ${clock(clockAt(notBefore))}` : '',
    share < 1 ? `${Math.floor(share * 100)} % read` : `${last} at ${clock(polledAt.at)}`,
    share === 1 && isFresh ? '' : 'Hatched time may be taken',
  ];
}

function clock(instant: number): string {
  return secondText(span.zone, instant);
}
