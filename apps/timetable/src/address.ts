/** What the page shows, as the address and the browser's history keep it. */

import { byId } from './dom.js';
import { isZone } from './time.js';

/** What the panel shows: the form, the details of the booking with an id, or nothing. */
type Panel = 'form' | { readonly id: string } | undefined;

/** What the page shows. An empty `filter`, `free` or `at` restricts nothing. */
export interface View {
  /** `YYYY-MM-DD`; empty is today, whenever that is. */
  readonly date: string;
  readonly span: 'day' | 'week';
  /** `agenda` is a list by time, `rows` a row for each resource; empty is what suits the width of the screen. */
  readonly as: 'agenda' | 'rows' | '';
  /** An IANA time zone. */
  readonly zone: string;
  /** Words that the name of a resource, or the texts of a booking, must contain. */
  readonly filter: string;
  /** Minutes for which a resource must be free. */
  readonly free: string;
  /** `HH:MM` from which a resource must be free. */
  readonly at: string;
  readonly panel: Panel;
}

/** Whether the page is for a screen on a wall, which nobody touches. */
export const isWall = new URLSearchParams(location.search).has('wall');
/** Whether the page is going back by itself, since the panel was closed. */
let isGoingBack = false;

/** The id of the booking whose details the panel shows; empty if it shows something else. */
export function idIn(panel: Panel): string {
  return panel instanceof Object ? panel.id : '';
}

/** The address of a view. What follows `#`, a booking's id and the words of a search, is never sent to a server. */
function addressOf({ panel, filter, ...rest }: View): string {
  const parts = Object.entries({ ...rest, at: rest.free && rest.at });
  // A query may contain `/` and `:` unescaped (RFC 3986 §3.4), which reads better.
  const query = queryOf(parts).replaceAll('%2F', '/').replaceAll('%3A', ':') + (isWall ? '&wall' : '');
  const words = filter === '' ? '' : `?${queryOf([['filter', filter]])}`;
  const hash = encodeURIComponent(idIn(panel)) + words;
  return `?${query}${hash && '#'}${hash}`;
}

/**
 * Writes a changed view to the address. Opening the panel adds an entry to the history, whose state is true, so that
 * Back closes the panel; closing it goes back. A browser refuses more than some changes within seconds, as of a
 * held arrow key: then the address stays behind until the next change.
 *
 * @param isStep whether the change adds an entry in any case, if it changes the address
 */
export function writeAddress(old: View, view: View, isStep: boolean): void {
  const opens = !old.panel && view.panel !== undefined;
  const closes = old.panel && !view.panel;
  const address = addressOf(view);
  const isEntry = opens || (isStep && address !== location.search + location.hash);
  try {
    if (closes && history.state === true) {
      history.back();
      isGoingBack = true;
    } else if (isEntry) history.pushState(opens, '', address);
    else history.replaceState(history.state, '', address);
  } catch {}
}

/**
 * Follows the entries of the history. None opens the form again.
 *
 * @param current the view that the page shows
 * @param listener called with the view of another entry
 */
export function onEntry(current: () => View, listener: (view: View) => void): void {
  addEventListener('popstate', () => {
    // The view may have changed since, and is right.
    if (isGoingBack) history.replaceState(false, '', addressOf(current()));
    else listener(readAddress());
    isGoingBack = false;
  });
}

/** The view in the address, without invalid parameters. */
export function readAddress(): View {
  const query = new URLSearchParams(location.search);
  // An id and words that cannot be decoded name no booking and find nothing.
  const hash = new URLSearchParams(`id=${location.hash.slice(1).replace('?', '&')}`);
  const id = hash.get('id') ?? '';
  // Controls ignore values that they do not offer, or mark them as invalid.
  const read = (name: string) => {
    const control = byId(name) as HTMLInputElement | HTMLSelectElement;
    control.value = query.get(name) ?? '';
    return control.validity.valid ? control.value : '';
  };
  const browserZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return {
    date: read('date'),
    span: query.get('span') === 'week' ? 'week' : 'day',
    as: (['agenda', 'rows'] as const).find((as) => as === query.get('as')) ?? '',
    zone: [query.get('zone') ?? '', browserZone].find(isZone) ?? 'UTC',
    filter: hash.get('filter') ?? query.get('filter') ?? '',
    free: read('free'),
    at: read('at'),
    panel: id === '' ? undefined : { id },
  };
}

function queryOf(parts: [string, string][]): string {
  return new URLSearchParams(parts.filter(([, value]) => value !== '')).toString();
}
