import { byId, make } from './dom.js';
import { isWithin, type Span } from './span.js';
import { durationText, titleOf } from './texts.js';
import { dateAfter, realDate, type View } from './view.js';
import { zoneNames } from './zone.js';

const SPANS = ['day', 'week'] as const;
/** Minutes for which a resource may be wanted. */
const LENGTHS = [15, 30, 60, 90, 120, 240, 480];
const lengthOption = (minutes: number) =>
  make('option', { value: String(minutes) }, `Free for ${durationText(minutes * 60_000)}`);

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

  free.append(make('option', { value: '0' }, 'Free for …'), ...LENGTHS.map(lengthOption));

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
    free.value = String(view.free);
    // An address may have another one.
    if (free.value === '') free.append(lengthOption(view.free));
    free.value = String(view.free);
    fillZones([...zone.options].map(({ value: name }) => name));
  }

  return { show, change };
}
