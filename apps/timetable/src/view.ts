import { byId } from './dom.js';
import { firstDay, titleOf } from './texts.js';
import { durationText, isZone, MINUTE, spanOf } from './time.js';

/** The view of the page, as in its address and its inputs; an empty member restricts nothing. */
export interface View {
  /** `YYYY-MM-DD`; empty is today, whenever that is. */
  readonly date: string;
  readonly span: string;
  readonly zone: string;
  /** Words that names of resources, or labels of bookings, must contain. */
  readonly filter: string;
  /** Minutes that a resource must be free. */
  readonly free: string;
  /** `HH:MM` from which it must be. */
  readonly at: string;
}

/** Members that say which time is shown. */
const TIME_MEMBERS: ReadonlySet<string> = new Set(['date', 'span', 'zone']);

const date = byId('date') as HTMLInputElement;
const filter = byId('filter') as HTMLInputElement;
const at = byId('at') as HTMLInputElement;
const free = byId('free') as HTMLSelectElement;
const zone = byId('zone') as HTMLSelectElement;
free.add(new Option('Free for…', ''));
for (const minutes of [15, 30, 60, 90, 120, 240, 480])
  free.add(new Option(`Free ${durationText(minutes * MINUTE)}`, String(minutes)));

export let view = readView();
export let span = spanOf(view, Date.now(), firstDay);
let shown: (isOtherTime: boolean) => void;

/** @param listener called when the view has changed: to another time, or in its other parts alone */
export function onView(listener: typeof shown): void {
  shown = listener;
}

export function changeView(change: Partial<View>): void {
  view = { ...view, ...change };
  const parts = Object.entries({ ...view, at: view.free && view.at });
  const query = new URLSearchParams(parts.filter(([, value]) => value !== ''));
  // Both are allowed in a query (RFC 3986 §3.4), and read better.
  const address = `?${query.toString().replaceAll('%2F', '/').replaceAll('%3A', ':')}`;
  const isOtherTime = Object.keys(change).some((name) => TIME_MEMBERS.has(name));
  if (isOtherTime && address !== location.search) history.pushState(null, '', address);
  else history.replaceState(null, '', address);
  showView(isOtherTime || 'at' in change);
}

export function showView(isOtherTime = true): void {
  if (isOtherTime) span = spanOf(view, Date.now(), firstDay);
  byId('title').textContent = titleOf(span);
  document.title = `${titleOf(span)} · Timetable (preview)`;
  for (const name of ['day', 'week']) byId(name).ariaPressed = String(view.span === name);
  byId('at-label').hidden = view.free === '';
  // A week keeps the weekday that a day after it shows.
  date.value = view.date || span.zone.date(Date.now());
  filter.value = view.filter;
  free.value = view.free;
  at.value = view.at;
  chooseZone(view.zone);
  shown(isOtherTime);
}

/** The view of the address; a parameter that is not valid, as the inputs have it, is ignored. */
function readView(): View {
  const query = new URLSearchParams(location.search);
  const read = (input: HTMLInputElement | HTMLSelectElement) => {
    input.value = query.get(input.id) ?? '';
    return input.validity.valid ? input.value : '';
  };
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return {
    date: read(date),
    span: query.get('span') === 'week' ? 'week' : 'day',
    zone: [query.get('zone') ?? '', own].find(isZone) ?? 'UTC',
    filter: read(filter),
    free: read(free),
    at: read(at),
  };
}

function move(by: -1 | 1): void {
  date.stepUp(by * span.days.length);
  changeView({ date: date.value });
}

function chooseZone(name: string): void {
  zone.value = name;
  if (zone.value !== name) zone.add(new Option(name.replaceAll('_', ' '), name, true, true));
}

const acts: Record<string, () => void> = {
  back: () => move(-1),
  forth: () => move(1),
  today: () => changeView({ date: '' }),
  day: () => changeView({ span: 'day' }),
  week: () => changeView({ span: 'week' }),
  clear: () => changeView({ filter: '', free: '' }),
};
for (const [id, act] of Object.entries(acts)) byId(id).addEventListener('click', act);
for (const input of [date, filter, free, at, zone]) {
  input.addEventListener('input', () => {
    if (input.validity.valid) changeView({ [input.id]: input.value });
  });
}
// Browsers open it from their icon alone, which the title hides.
date.addEventListener('click', () => date.showPicker());
// There are hundreds of zones: they are added only when one is about to be chosen.
const offerZones = () => ['UTC', ...Intl.supportedValuesOf('timeZone'), zone.value].forEach(chooseZone);
for (const event of ['focus', 'pointerenter']) zone.addEventListener(event, offerZones, { once: true });
addEventListener('popstate', () => {
  view = readView();
  showView();
});
// Keys outside the grid, where nothing is typed.
addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, altKey, metaKey } = event;
  const own = document.querySelector<HTMLElement>(`[aria-keyshortcuts="${CSS.escape(key)}"]`);
  const isTyping = (target as Element).closest('input, select, textarea, dialog, #panel');
  if (!own || ctrlKey || altKey || metaKey || isTyping) return;
  event.preventDefault();
  own[own === filter ? 'focus' : 'click']();
});
