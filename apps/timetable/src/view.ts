/** The page's view. The address keeps it; the controls in the header show and change it. */

import { byId } from './dom.js';
import { firstDay, titleOf } from './texts.js';
import { isZone, spanOf } from './time.js';

/** The view, as in the address and the controls. An empty `filter`, `free` or `at` restricts nothing. */
export interface View {
  /** `YYYY-MM-DD`; empty is today, whenever that is. */
  readonly date: string;
  readonly span: 'day' | 'week';
  /** An IANA time zone. */
  readonly zone: string;
  /** Words that the name of a resource, or the label of a booking, must contain. */
  readonly filter: string;
  /** Minutes for which a resource must be free. */
  readonly free: string;
  /** `HH:MM` from which a resource must be free. */
  readonly at: string;
}

/** Members of the view that decide which time is shown. */
const TIME_MEMBERS: ReadonlySet<string> = new Set(['date', 'span', 'zone']);

const date = byId('date') as HTMLInputElement;
const filter = byId('filter') as HTMLInputElement;
const at = byId('at') as HTMLInputElement;
const free = byId('free') as HTMLSelectElement;
const zone = byId('zone') as HTMLSelectElement;

export let view = readView();
/** The time that the view shows. */
export let span = spanOf(view, Date.now(), firstDay);
let changed: (isOtherTime: boolean) => void;

/** @param listener called whenever the view is shown; told whether the time shown or searched for may have changed */
export function onView(listener: typeof changed): void {
  changed = listener;
}

/** Changes the view, its address and its controls. A change of the time shown adds an entry to the history. */
export function changeView(change: Partial<View>): void {
  view = { ...view, ...change };
  const parts = Object.entries({ ...view, at: view.free && view.at });
  const query = new URLSearchParams(parts.filter(([, value]) => value !== ''));
  // A query may contain `/` and `:` unescaped (RFC 3986 §3.4), which reads better.
  const address = `?${query.toString().replaceAll('%2F', '/').replaceAll('%3A', ':')}`;
  const isOtherTime = Object.keys(change).some((name) => TIME_MEMBERS.has(name));
  if (isOtherTime && address !== location.search) history.pushState(null, '', address);
  else history.replaceState(null, '', address);
  showView(isOtherTime || 'at' in change);
}

/** Shows the view in the controls, and tells the listener. */
export function showView(isOtherTime = true): void {
  if (isOtherTime) span = spanOf(view, Date.now(), firstDay);
  byId('title').textContent = titleOf(span);
  document.title = `${titleOf(span)} · Timetable (preview)`;
  for (const name of ['day', 'week']) byId(name).ariaPressed = String(view.span === name);
  byId('at-label').hidden = view.free === '';
  // The view of a week keeps its date, so that switching back to a day shows the same weekday.
  date.value = view.date || span.zone.date(Date.now());
  filter.value = view.filter;
  free.value = view.free;
  at.value = view.at;
  chooseZone(view.zone);
  changed(isOtherTime);
}

/** The view in the address, without invalid parameters. */
function readView(): View {
  const query = new URLSearchParams(location.search);
  // Controls ignore values that they do not offer, or mark them as invalid.
  const read = (control: HTMLInputElement | HTMLSelectElement) => {
    control.value = query.get(control.id) ?? '';
    return control.validity.valid ? control.value : '';
  };
  const browserZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return {
    date: read(date),
    span: query.get('span') === 'week' ? 'week' : 'day',
    zone: [query.get('zone') ?? '', browserZone].find(isZone) ?? 'UTC',
    filter: read(filter),
    free: read(free),
    at: read(at),
  };
}

/** Moves by a day or a week. */
function move(by: -1 | 1): void {
  date.stepUp(by * span.days.length);
  changeView({ date: date.value });
}

/** Selects a zone, and adds it unless the control offers it. */
function chooseZone(name: string): void {
  zone.value = name;
  if (zone.value !== name) zone.add(new Option(name.replaceAll('_', ' '), name, true, true));
}

/** Adds every zone that the browser lists, and selects the view's zone again. */
function offerZones(): void {
  for (const name of ['UTC', ...Intl.supportedValuesOf('timeZone'), zone.value]) chooseZone(name);
}

const BUTTONS: Record<string, () => void> = {
  back: () => move(-1),
  forth: () => move(1),
  today: () => changeView({ date: '' }),
  day: () => changeView({ span: 'day' }),
  week: () => changeView({ span: 'week' }),
  clear: () => changeView({ filter: '', free: '' }),
};
for (const [id, press] of Object.entries(BUTTONS)) byId(id).addEventListener('click', press);
for (const control of [date, filter, free, at, zone]) {
  control.addEventListener('input', () => {
    if (control.validity.valid) changeView({ [control.id]: control.value });
  });
}
// Some browsers open the picker only from the input's icon, which is invisible here, like the input itself.
date.addEventListener('click', () => date.showPicker());
// The hundreds of zones are added only when one is about to be chosen.
for (const event of ['focus', 'pointerenter']) zone.addEventListener(event, offerZones, { once: true });
addEventListener('popstate', () => {
  view = readView();
  showView();
});
