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

const [date, filter, at] = ['date', 'filter', 'at'].map(byId) as [HTMLInputElement, HTMLInputElement, HTMLInputElement];
const [free, zone] = [byId('free'), byId('zone')] as [HTMLSelectElement, HTMLSelectElement];
free.add(new Option('Free for…', ''));
for (const minutes of [15, 30, 60, 90, 120, 240, 480])
  free.add(new Option(`Free ${durationText(minutes * MINUTE)}`, String(minutes)));

/** The view of the address; a parameter that is not valid, as the inputs have it, is ignored. */
function readView(): View {
  const query = new URLSearchParams(location.search);
  const read = (input: HTMLInputElement | HTMLSelectElement) => {
    input.value = query.get(input.id) ?? '';
    return input.validity.valid ? input.value : '';
  };
  const [span, name] = [query.get('span') === 'week' ? 'week' : 'day', realZone(query.get('zone') ?? '')];
  return { date: read(date), span, zone: name, filter: read(filter), free: read(free), at: read(at) };
}

/** A zone of this name, or that of the browser. */
function realZone(name: string): string {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return [name, own].find(isZone) ?? 'UTC';
}

export class Toolbar {
  view = readView();
  span = spanOf(this.view, Date.now(), firstDay);

  /** @param shown called when the view has changed: to another time, or in its other parts alone */
  constructor(private readonly shown: (isOtherTime: boolean) => void) {
    const acts: Record<string, () => void> = {
      back: () => this.move(-1),
      forth: () => this.move(1),
      today: () => this.change({ date: '' }),
      day: () => this.change({ span: 'day' }),
      week: () => this.change({ span: 'week' }),
      clear: () => this.change({ filter: '', free: '' }),
    };
    for (const [id, act] of Object.entries(acts)) byId(id).addEventListener('click', act);
    for (const input of [date, filter, free, at, zone])
      input.addEventListener('input', () => input.validity.valid && this.change({ [input.id]: input.value }));
    // Browsers open it from their icon alone, which the title hides.
    date.addEventListener('click', () => date.showPicker());
    // There are hundreds of zones: they are added only when one is about to be chosen.
    const offerZones = () => ['UTC', ...Intl.supportedValuesOf('timeZone'), zone.value].forEach(chooseZone);
    for (const event of ['focus', 'pointerenter']) zone.addEventListener(event, offerZones, { once: true });
    // Keys outside the grid, where nothing is typed.
    addEventListener('keydown', (event) => {
      const { key, target, ctrlKey, altKey, metaKey } = event;
      const own = document.querySelector<HTMLElement>(`[aria-keyshortcuts="${CSS.escape(key)}"]`);
      const isTyping = (target as Element).closest('input, select, textarea, dialog, #panel');
      if (!own || ctrlKey || altKey || metaKey || isTyping) return;
      event.preventDefault();
      own[own === filter ? 'focus' : 'click']();
    });
    addEventListener('popstate', () => {
      this.view = readView();
      this.show();
    });
  }

  change(change: Partial<View>): void {
    this.view = { ...this.view, ...change };
    const parts = Object.entries({ ...this.view, at: this.view.free && this.view.at });
    const query = new URLSearchParams(parts.filter(([, value]) => value !== ''));
    // Both are allowed in a query (RFC 3986 §3.4), and read better.
    const address = `?${query.toString().replaceAll('%2F', '/').replaceAll('%3A', ':')}`;
    const isOtherTime = 'date' in change || 'span' in change || 'zone' in change;
    if (isOtherTime && address !== location.search) history.pushState(null, '', address);
    else history.replaceState(null, '', address);
    this.show(isOtherTime || 'at' in change);
  }

  move(by: -1 | 1): void {
    date.stepUp(by * this.span.days.length);
    this.change({ date: date.value });
  }

  show(isOtherTime = true): void {
    const { view } = this;
    if (isOtherTime) this.span = spanOf(view, Date.now(), firstDay);
    byId('title').textContent = titleOf(this.span);
    document.title = `${titleOf(this.span)} · Timetable (preview)`;
    for (const name of ['day', 'week']) byId(name).ariaPressed = String(view.span === name);
    byId('at-label').hidden = view.free === '';
    date.value = view.date || this.span.zone.date(Date.now());
    [filter.value, free.value, at.value] = [view.filter, view.free, view.at];
    chooseZone(view.zone);
    this.shown(isOtherTime);
  }
}

function chooseZone(name: string): void {
  zone.value = name;
  if (zone.value !== name) zone.add(new Option(name.replaceAll('_', ' '), name, true, true));
}
