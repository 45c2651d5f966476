/** The keys of the grid (ARIA Authoring Practices, "Grid Pattern"), and the shortcuts of the page. */

import { cancelDrag, choose } from './actions.js';
import { byId, recall, remember } from './dom.js';
import * as grid from './grid.js';
import { closePanel } from './panel.js';
import { endPress } from './pointer.js';
import type { Cell } from './rows.js';
import { isWithin } from './time.js';
import { span } from './view.js';

/** Where the tab keeps whether shortcuts of a single letter are off, as users of speech input need (WCAG 2.1.4). */
const LETTERS_KEY = 'timetable-letters';

/** The instant and the cell that have the focus, and the cells of their row. */
interface Focus {
  readonly resource: string;
  readonly at: number;
  readonly cells: readonly Cell[];
  readonly cell: Cell | undefined;
}

const GRID_KEYS: Record<string, (focus: Focus, isCtrl: boolean) => void> = {
  ArrowLeft: (focus) => moveSideways(focus, -1),
  ArrowRight: (focus) => moveSideways(focus, 1),
  ArrowUp: (focus) => moveUpDown(focus, -1),
  ArrowDown: (focus) => moveUpDown(focus, 1),
  PageUp: (focus) => moveUpDown(focus, -10),
  PageDown: (focus) => moveUpDown(focus, 10),
  Home: (focus, isCtrl) => moveUpDown({ ...focus, at: span.start }, isCtrl ? -Infinity : 0),
  End: (focus, isCtrl) => moveUpDown({ ...focus, at: span.end - 1 }, isCtrl ? Infinity : 0),
  Enter: chooseCell,
  ' ': chooseCell,
  Escape: () => {
    if (endPress()) cancelDrag();
    else closePanel();
  },
};

function moveSideways({ resource, cells, cell }: Focus, by: -1 | 1): void {
  const next = cell && cells[cells.indexOf(cell) + by];
  if (next) grid.activate(resource, Math.max(next.start, span.start), 'reveal');
}

function moveUpDown({ resource, at }: Focus, by: number): void {
  const index = Math.max(0, Math.min(grid.resources.length - 1, grid.resources.indexOf(resource) + by));
  grid.activate(grid.resources[index]!, at, 'reveal');
}

function chooseCell({ cell, at }: Focus): void {
  if (cell) choose(cell, at);
}

/** The keyboard's position or, if a screen reader has focused another cell, that cell. */
function focusFrom(event: KeyboardEvent): Focus | undefined {
  const active = grid.active;
  if (!active) return undefined;
  const focused = grid.cellFrom(event);
  const isElsewhere = focused && (focused.resource !== active.resource || !isWithin(focused, active.at));
  const resource = isElsewhere ? focused.resource : active.resource;
  const at = isElsewhere ? Math.max(focused.start, span.start) : active.at;
  const cells = grid.cellsOf(resource);
  return { resource, at, cells, cell: cells.find((each) => isWithin(each, at)) };
}

grid.grid.addEventListener('keydown', (event) => {
  const { key, ctrlKey, altKey, metaKey, target } = event;
  const focus = focusFrom(event);
  const isForAnother = altKey || metaKey || (target as Element).closest('button');
  if (!focus || isForAnother || !Object.hasOwn(GRID_KEYS, key)) return;
  event.preventDefault();
  event.stopPropagation();
  GRID_KEYS[key]!(focus, ctrlKey);
});

/** Up and Down move between the items of an agenda. */
byId('agenda').addEventListener('keydown', (event) => {
  const items = [...document.querySelectorAll<HTMLElement>('.item')];
  const at = items.indexOf(event.target as HTMLElement);
  const next = { ArrowUp: items[at - 1], ArrowDown: items[at + 1] }[event.key];
  if (at < 0 || !next) return;
  event.preventDefault();
  next.focus();
});

const letters = byId('letters') as HTMLInputElement;
letters.checked = recall(LETTERS_KEY) === '';
letters.addEventListener('change', () => remember(LETTERS_KEY, letters.checked ? '' : 'off'));

/** The key of a shortcut: with Caps Lock its small letter, and on a layout without Latin letters that at its place. */
function shortcutOf({ key, code }: KeyboardEvent): string {
  if (key.length > 1) return key;
  return /^[!-~]$/.test(key) ? key.toLowerCase() : code.replace('Key', '').toLowerCase();
}

/**
 * Clicks the button, or focuses the input, of a shortcut, if the page shows that, and unless the focus is in an input, a
 * dialog or the panel.
 */
addEventListener('keydown', (event) => {
  const { target, ctrlKey, altKey, metaKey } = event;
  const key = shortcutOf(event);
  const control = document.querySelector<HTMLElement>(`[aria-keyshortcuts="${CSS.escape(key)}"]`);
  const isTyping = (target as Element).closest('input:not(#letters), select, textarea, dialog, #panel');
  const isOff = key.length === 1 && !letters.checked;
  if (!control?.checkVisibility() || ctrlKey || altKey || metaKey || isTyping || isOff) return;
  event.preventDefault();
  if (control instanceof HTMLInputElement) control.focus();
  else control.click();
});
