import { ProblemError } from '@booking-service/client';
import { byId } from './dom.js';
import { type FeedState, INTERVAL } from './feed.js';
import { clockText, timeText } from './texts.js';
import type { Zone } from './zone.js';

/** Milliseconds that a toast is shown. */
const SEEN = 5_000;

/** Milliseconds of reading after which the page says that it reads. */
const SLOW = 1_000;

const line = byId('status');
const toast = byId('toast');
let timer: ReturnType<typeof setTimeout> | undefined;
let later: ReturnType<typeof setTimeout> | undefined;
let wasDown = false;

/**
 * Updates the status line below the grid, and the band above it, which says why time is not read or not up to date.
 *
 * @param counts of what is shown
 */
export function showState(state: Readonly<FeedState>, counts: string, zone: Zone): void {
  const { readAt, share, outage, isDenied, pausedUntil } = state;
  const isDown = outage !== undefined;
  const isRead = share === 1;
  const isLive = isRead && !isDown && !isDenied && pausedUntil === undefined;
  const last = readAt === undefined ? 'nothing has been read yet' : `last read at ${seconds(zone, readAt)}`;
  const fresh = `updated ${timeText(zone, readAt ?? 0)}, refreshed every ${INTERVAL / 1000} s`;
  write(line, `${counts}${isRead ? '' : ' so far'} · ${isLive ? fresh : last}`);
  byId('grid').ariaBusy = String(!isRead);
  const text = bandText(state, zone);
  byId('band').hidden = text === '';
  write(byId('band-text'), text);
  byId('try-now').hidden = isDenied || (!isDown && pausedUntil === undefined);
  byId('give-token').hidden = !isDenied;
  if (wasDown !== isDown) say(isDown ? text : 'The service is back.');
  wasDown = isDown;
  clearTimeout(later);
  if (!isRead && text === '') later = setTimeout(() => showState(state, counts, zone), SLOW);
}

function bandText({ share, readingSince, outage, isDenied, pausedUntil }: Readonly<FeedState>, zone: Zone): string {
  const unread = share < 1 || isDenied || outage ? ' What is not read may be taken.' : '';
  if (isDenied) return `The service requires a token.${unread}`;
  if (outage) {
    const isBusy = outage.error instanceof ProblemError && outage.error.status === 429;
    const why = isBusy ? 'The service has limited requests' : 'The service has not responded';
    return `${why} since ${seconds(zone, outage.since)}. Next attempt at ${seconds(zone, outage.again)}.${unread}`;
  }
  if (share === 1) return '';
  if (pausedUntil !== undefined) {
    return `The service limits requests. Reading continues at ${seconds(zone, pausedUntil)}.${unread}`;
  }
  return Date.now() - readingSince < SLOW ? '' : `Reading, ${Math.floor(share * 100)} %.${unread}`;
}

/** A text that stays the same is not written again: a screen reader could repeat it. */
function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Announces a text to screen readers only. */
function say(text: string): void {
  byId('said').textContent = text;
}

/** Shows a toast, and announces it to screen readers. */
export function showToast(text: string): void {
  say(text);
  toast.textContent = text;
  toast.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => (toast.hidden = true), SEEN);
}

/** Shows a notice until the next one; an empty text hides it. */
export function notice(text: string): void {
  const element = byId('notice');
  element.textContent = text;
  element.hidden = text === '';
}

function seconds(zone: Zone, at: number): string {
  return clockText(`${zone.time(at)}:${new Date(at).toISOString().slice(17, 19)}`);
}
