import { byId, make } from './dom.js';
import { type Span, titleOf } from './span.js';
import { dateAfter, realDate, type View } from './view.js';
import { zoneNames } from './zone.js';

const SPANS = ['day', 'week'] as const;

/**
 * The controls above the grid.
 *
 * @param change called with the changed part of the view
 */
export function toolbar(change: (change: Partial<View>) => void) {
  const pick = byId('pick');
  const date = byId('date') as HTMLInputElement;
  const filter = byId('filter') as HTMLInputElement;
  const free = byId('free') as HTMLSelectElement;
  const zone = byId('zone') as HTMLSelectElement;
  let shown: View;
  let first: string;

  const goTo = (text: string) => {
    const found = realDate(text);
    if (found !== undefined) change({ date: found });
  };
  const move = (by: 1 | -1) => goTo(dateAfter(shown.date ?? first, by * (shown.span === 'day' ? 1 : 7)));
  byId('back').addEventListener('click', () => move(-1));
  byId('forth').addEventListener('click', () => move(1));
  byId('today').addEventListener('click', () => change({ date: undefined }));
  pick.addEventListener('click', () => date.showPicker());
  date.addEventListener('change', () => goTo(date.value));
  for (const span of SPANS) byId(span).addEventListener('click', () => change({ span }));
  filter.addEventListener('input', () => change({ filter: filter.value }));
  free.addEventListener('change', () => change({ free: Number(free.value) }));
  zone.addEventListener('change', () => change({ zone: zone.value }));
  // There are hundreds of zones: they are added only when one is about to be chosen.
  for (const event of ['focus', 'pointerenter']) {
    zone.addEventListener(event, () => fillZones(zoneNames()), { once: true });
  }

  function fillZones(names: string[]): void {
    const all = [...new Set([...names, shown.zone])];
    if (all.length !== zone.length) {
      zone.replaceChildren(...all.map((value) => make('option', { value }, value.replaceAll('_', ' '))));
    }
    zone.value = shown.zone;
  }

  function show(view: View, span: Span): void {
    shown = view;
    first = span.days[0]!.date;
    pick.textContent = titleOf(span);
    document.title = `${titleOf(span)} · Timetable (preview)`;
    date.value = view.date ?? first;
    byId('back').ariaLabel = `Previous ${view.span}`;
    byId('forth').ariaLabel = `Next ${view.span}`;
    for (const name of SPANS) byId(name).ariaPressed = String(view.span === name);
    if (filter.value !== view.filter) filter.value = view.filter;
    const value = String(view.free);
    free.value = value;
    if (free.value !== value) free.append(make('option', { value, selected: true }, `Free for ${value} min`));
    fillZones([...zone.options].map(({ value: name }) => name));
  }

  return { show };
}
