import { byId, make } from './dom.js';
import { isWithin, type Span, titleOf } from './span.js';
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
  const at = byId('at') as HTMLInputElement;
  const zone = byId('zone') as HTMLSelectElement;
  const menu = byId('menu');
  let shown: View;
  let span: Span;

  const goTo = (text: string) => {
    const found = realDate(text);
    if (found !== undefined) change({ date: found });
  };
  const move = (by: 1 | -1) => goTo(dateAfter(shown.date ?? span.days[0]!.date, by * (shown.span === 'day' ? 1 : 7)));
  byId('back').addEventListener('click', () => move(-1));
  byId('forth').addEventListener('click', () => move(1));
  byId('today').addEventListener('click', () => change({ date: undefined }));
  pick.addEventListener('click', () => date.showPicker());
  date.addEventListener('change', () => goTo(date.value));
  for (const name of SPANS) byId(name).addEventListener('click', () => change({ span: name }));
  byId('hours').addEventListener('click', ({ target }) => {
    const { date: day } = (target as Element).closest<HTMLElement>('.day')?.dataset ?? {};
    if (day !== undefined) change({ date: day, span: 'day' });
  });
  filter.addEventListener('input', () => change({ filter: filter.value }));
  free.addEventListener('change', () => {
    const now = Date.now();
    const isNow = shown.free === 0 && isWithin(span, now);
    change({ free: Number(free.value), at: isNow ? span.zone.time(now) : shown.at });
  });
  at.addEventListener('change', () => change({ at: at.value === '' ? undefined : at.value }));
  menu.addEventListener('click', () => {
    menu.ariaExpanded = String(menu.ariaExpanded !== 'true');
  });
  chooseByShortcuts();
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

  function show(view: View, next: Span): void {
    shown = view;
    span = next;
    pick.textContent = titleOf(span);
    document.title = `${titleOf(span)} · Timetable (preview)`;
    date.value = view.date ?? span.days[0]!.date;
    byId('back').ariaLabel = `Previous ${view.span}`;
    byId('forth').ariaLabel = `Next ${view.span}`;
    for (const name of SPANS) byId(name).ariaPressed = String(view.span === name);
    if (filter.value !== view.filter) filter.value = view.filter;
    at.value = view.at ?? '';
    byId('at-label').hidden = view.free === 0;
    const value = String(view.free);
    free.value = value;
    if (free.value !== value) free.append(make('option', { value, selected: true }, `Free for ${value} min`));
    fillZones([...zone.options].map(({ value: name }) => name));
  }

  return { show, change };
}

/** In the grid, T, D, W and N press their buttons, and / goes to the search (WCAG 2.1.4: only where it has the focus). */
function chooseByShortcuts(): void {
  const buttons: Record<string, string> = { t: 'today', d: 'day', w: 'week', n: 'new' };
  byId('grid').addEventListener('keydown', (event) => {
    const { key, ctrlKey, altKey, metaKey } = event;
    if (ctrlKey || altKey || metaKey) return;
    const id = key === '/' ? 'filter' : buttons[key.toLowerCase()];
    if (id === undefined) return;
    event.preventDefault();
    if (id === 'filter') byId(id).focus();
    else byId(id).click();
  });
}
