import { byId, make } from './dom.js';
import { titleOf } from './texts.js';
import { dateAfter, durationText, isWithin, type Span, zoneNames } from './time.js';

/** What the page shows; its address has the same. */
export interface View {
  /** `YYYY-MM-DD`; undefined is today, whenever that is. */
  date: string | undefined;
  span: 'day' | 'week';
  zone: string;
  /** Words that names of resources, or labels of bookings, must contain. */
  filter: string;
  /** Minutes that a resource must be free; 0 for any. */
  free: number;
  /** `HH:MM` from which it must be; undefined for any time. */
  at: string | undefined;
}

const YEARS = /^(?:19[7-9]|[2-8]\d\d|9[0-8]\d)\d-/;
/** Minutes for which a resource may be wanted. */
const LENGTHS = [0, 15, 30, 60, 90, 120, 240, 480];

/** The view of an address; a parameter that is not valid is ignored. */
export function readView(search: string): View {
  const query = new URLSearchParams(search);
  const of = (name: string) => query.get(name) ?? '';
  return {
    date: realDate(of('date')),
    span: of('span') === 'week' ? 'week' : 'day',
    zone: realZone(of('zone')) ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
    filter: of('filter'),
    free: /^\d{1,4}$/.test(of('free')) ? Number(of('free')) : 0,
    at: /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(of('at')) ? of('at') : undefined,
  };
}

export function writeView({ date, span, zone, filter, free, at }: View): string {
  const parts = Object.entries({ date, span, zone, filter, free: free || '', at: free > 0 ? at : '' });
  const query = new URLSearchParams(parts.flatMap(([name, value]) => (value ? [[name, String(value)]] : [])));
  // Both are allowed in a query (RFC 3986 §3.4), and read better.
  return `?${query.toString().replaceAll('%2F', '/').replaceAll('%3A', ':')}`;
}

export function realDate(text: string): string | undefined {
  const time = YEARS.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text ? undefined : text;
}

function realZone(text: string): string | undefined {
  try {
    Intl.DateTimeFormat('en', { timeZone: text });
    return text;
  } catch {
    return undefined;
  }
}

/** The controls above the grid. @param change called with the changed part of the view */
export function toolbar(change: (change: Partial<View>) => void) {
  const inputs = [byId('date'), byId('filter'), byId('at')] as HTMLInputElement[];
  const [date, filter, at] = inputs as [HTMLInputElement, HTMLInputElement, HTMLInputElement];
  const [free, zone] = [byId('free'), byId('zone')] as [HTMLSelectElement, HTMLSelectElement];
  let shown: View;
  let span: Span;

  const goTo = (text: string) => realDate(text) && change({ date: text });
  /** Shows the previous (-1) or next (1) day or week. */
  const move = (by: -1 | 1) => goTo(dateAfter(shown.date ?? span.days[0]!.date, by * span.days.length));
  const acts: Record<string, () => void> = {
    back: () => move(-1),
    forth: () => move(1),
    today: () => change({ date: undefined }),
    day: () => change({ span: 'day' }),
    week: () => change({ span: 'week' }),
    menu: () => byId('menu').setAttribute('aria-expanded', String(byId('menu').ariaExpanded !== 'true')),
  };
  for (const [id, act] of Object.entries(acts)) byId(id).addEventListener('click', act);
  date.addEventListener('change', () => goTo(date.value));
  filter.addEventListener('input', () => change({ filter: filter.value }));
  free.addEventListener('change', () => {
    const isNow = shown.free === 0 && isWithin(span, Date.now());
    change({ free: Number(free.value), at: isNow ? span.zone.time(Date.now()) : shown.at });
  });
  at.addEventListener('change', () => change({ at: at.value || undefined }));
  zone.addEventListener('change', () => change({ zone: zone.value }));
  for (const minutes of LENGTHS) offer(free, String(minutes), lengthText(minutes));
  // There are hundreds of zones: they are added only when one is about to be chosen.
  const offerZones = () => zoneNames().forEach((name) => offer(zone, name, name.replaceAll('_', ' ')));
  for (const event of ['focus', 'pointerenter']) zone.addEventListener(event, offerZones, { once: true });

  function show(view: View, next: Span): void {
    [shown, span] = [view, next];
    const title = titleOf(span);
    byId('title').textContent = title;
    document.title = `${title} · Timetable (preview)`;
    date.value = view.date ?? span.days[0]!.date;
    byId('back').ariaLabel = `Previous ${view.span}`;
    byId('forth').ariaLabel = `Next ${view.span}`;
    for (const name of ['day', 'week']) byId(name).ariaPressed = String(view.span === name);
    if (filter.value !== view.filter) filter.value = view.filter;
    at.value = view.at ?? '';
    byId('at-label').hidden = view.free === 0;
    // An address may have others than the lists.
    offer(free, String(view.free), lengthText(view.free));
    offer(zone, view.zone, view.zone.replaceAll('_', ' '));
    [free.value, zone.value] = [String(view.free), view.zone];
  }

  return { show, change, move };
}

function lengthText(minutes: number): string {
  return `Free for ${minutes === 0 ? '…' : durationText(minutes * 60_000)}`;
}

function offer(list: HTMLSelectElement, value: string, text: string): void {
  if (!list.querySelector(`[value="${CSS.escape(value)}"]`)) list.append(make('option', { value }, text));
}
