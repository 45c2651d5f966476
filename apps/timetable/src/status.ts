import { ProblemError } from '@booking-service/client';
import { byId } from './dom.js';
import { type FeedState, INTERVAL } from './feed.js';
import type { Zone } from './zone.js';

/** Milliseconds that a toast is shown. */
const SEEN = 5_000;

const line = byId('status');
const toast = byId('toast');
let timer: ReturnType<typeof setTimeout> | undefined;
let wasAway = false;

/**
 * Updates the status line below the grid.
 *
 * @param counts of what is shown
 */
export function showState({ readAt, reading, away }: Readonly<FeedState>, counts: string, zone: Zone): void {
  const isAway = away !== undefined;
  let text = `${counts} · updated ${zone.time(readAt ?? 0)}, refreshed every ${INTERVAL / 1000} s`;
  if (isAway) {
    const isBusy = away.error instanceof ProblemError && away.error.status === 429;
    const why = isBusy ? 'The service has limited requests' : 'The service has not responded';
    const known = readAt === undefined ? 'Nothing has been read yet' : `Last read at ${seconds(zone, readAt)}`;
    text = `${why} since ${seconds(zone, away.since)}. ${known}. Next attempt at ${seconds(zone, away.again)}.`;
  } else if (reading) {
    text = 'Reading…';
  }
  if (line.textContent !== text) line.textContent = text;
  line.classList.toggle('away', isAway);
  if (wasAway !== isAway) say(isAway ? text : 'The service is back.');
  wasAway = isAway;
}

/** Announces a text to screen readers only. */
export function say(text: string): void {
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
  return `${zone.time(at)}:${new Date(at).toISOString().slice(17, 19)}`;
}
