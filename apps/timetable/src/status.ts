import { ProblemError } from '@booking-service/client';
import { byId } from './dom.js';
import { type FeedState, INTERVAL } from './feed.js';
import type { Zone } from './zone.js';

/** Milliseconds for which a short message is seen. */
const SEEN = 5_000;

const line = byId('status');
const toast = byId('toast');
let timer: ReturnType<typeof setTimeout> | undefined;
let wasAway = false;

/**
 * The line below the grid: how it stands with what is shown.
 *
 * @param counts of what is shown
 */
export function showState({ readAt, reading, away }: Readonly<FeedState>, counts: string, zone: Zone): void {
  const isAway = away !== undefined;
  let text = `${counts} · read ${zone.time(readAt ?? 0)}, new ones every ${INTERVAL / 1000} s`;
  if (isAway) {
    const isBusy = away.error instanceof ProblemError && away.error.status === 429;
    const why = isBusy ? 'The service asks for fewer requests' : 'The service does not respond';
    const known = readAt === undefined ? 'Nothing was read yet' : `This was read at ${seconds(zone, readAt)}`;
    text = `${why} since ${seconds(zone, away.since)}. ${known}. Next try at ${seconds(zone, away.again)}.`;
  } else if (reading) {
    text = 'Reading…';
  }
  if (line.textContent !== text) line.textContent = text;
  line.classList.toggle('away', isAway);
  if (wasAway !== isAway) say(isAway ? text : 'The service is back.');
  wasAway = isAway;
}

/** Says something to a screen reader alone. */
export function say(text: string): void {
  byId('said').textContent = text;
}

/** Says something in passing, to everyone. */
export function tell(text: string): void {
  say(text);
  toast.textContent = text;
  toast.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => (toast.hidden = true), SEEN);
}

/** Says something until there is another notice; an empty one takes it away. */
export function notice(text: string): void {
  const element = byId('notice');
  element.textContent = text;
  element.hidden = text === '';
}

function seconds(zone: Zone, at: number): string {
  return `${zone.time(at)}:${new Date(at).toISOString().slice(17, 19)}`;
}
