/** The view that the page shows, the time that it shows, and the controls in the header, which change it. */

import { isWall, onEntry, readAddress, type View, writeAddress } from './address.js';
import { byId, write } from './dom.js';
import { firstDay, titleOf } from './texts.js';
import { spanOf } from './time.js';

/** What a change concerns: the time that is shown or searched for, rows or a list, the panel alone, or anything else. */
export type Change = 'time' | 'layout' | 'panel' | 'other';

const date = byId('date') as HTMLInputElement;
const filter = byId('filter') as HTMLInputElement;
const at = byId('at') as HTMLInputElement;
const free = byId('free') as HTMLSelectElement;
const zone = byId('zone') as HTMLSelectElement;
const narrow = matchMedia('(max-width: 640px)');

export let view = readAddress();
/** The time that the view shows. */
export let span = spanOf(view, Date.now(), firstDay);
let changed: (change: Change) => void;

/** @param listener called whenever the view is shown */
export function onView(listener: typeof changed): void {
  changed = listener;
}

/** Whether the view is a list by time. A narrow screen has no room for the rows of a week. */
export function isAgenda(): boolean {
  const isNarrow = narrow.matches && !isWall;
  return view.as === 'agenda' || (isNarrow && (view.as === '' || view.span === 'week'));
}

function concernOf(one: View, other: View): Change {
  const differs = (name: keyof View) => one[name] !== other[name];
  if ((['date', 'span', 'zone', 'at'] as const).some(differs)) return 'time';
  if (differs('as')) return 'layout';
  return differs('filter') || differs('free') ? 'other' : 'panel';
}

/**
 * Changes the view, its address and its controls.
 *
 * @param isStep whether Back may undo a change of the time
 */
export function changeView(change: Partial<View>, isStep = true): void {
  const old = view;
  view = { ...view, ...change };
  const concern = concernOf(old, view);
  writeAddress(old, view, isStep && concern === 'time');
  showView(concern);
}

/** Shows the view in the controls, and tells the listener. */
export function showView(change: Change = 'time'): void {
  if (change === 'time') span = spanOf(view, Date.now(), firstDay);
  write('title', titleOf(span));
  document.title = `${titleOf(span)} · Timetable (preview)`;
  for (const name of ['day', 'week']) byId(name).ariaPressed = String(view.span === name);
  byId('as-agenda').ariaPressed = String(isAgenda());
  byId('as-agenda').hidden = narrow.matches && view.span === 'week';
  byId('at-label').hidden = view.free === '';
  // The view of a week keeps its date, so that switching back to a day shows the same weekday.
  date.value = view.date || span.zone.date(Date.now());
  filter.value = view.filter;
  free.value = view.free;
  at.value = view.at;
  chooseZone(view.zone);
  changed(change);
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
  // Today again scrolls back to now.
  today: () => (view.date === '' ? showView() : changeView({ date: '' })),
  day: () => changeView({ span: 'day' }),
  week: () => changeView({ span: 'week' }),
  'as-agenda': () => changeView({ as: isAgenda() ? 'rows' : 'agenda' }),
  clear: () => {
    changeView({ filter: '', free: '' });
    filter.focus();
  },
};
for (const [id, press] of Object.entries(BUTTONS)) byId(id).addEventListener('click', press);
for (const control of [date, filter, free, at, zone]) {
  control.addEventListener('input', () => {
    // Typing a time would add an entry for each key.
    if (control.validity.valid) changeView({ [control.id]: control.value }, control !== at);
  });
}
// Some browsers open the picker only from the input's icon, which is invisible here, like the input itself.
date.addEventListener('click', () => date.showPicker());
// The hundreds of zones are added only when one is about to be chosen.
for (const event of ['focus', 'pointerenter']) zone.addEventListener(event, offerZones, { once: true });
narrow.addEventListener('change', () => showView('layout'));
onEntry(
  () => view,
  (entry) => {
    const concern = concernOf(view, entry);
    view = entry;
    showView(concern);
  },
);
