/** The keys of the grid (ARIA Authoring Practices, "Grid Pattern"), and the shortcuts of the page. */

import { cancelDrag, choose } from './actions.js';
import { byId, recall, remember } from './dom.js';
import * as grid from './grid.js';
import { closePanel } from './panel.js';
import { endPress } from './pointer.js';
import { isWithin } from './time.js';
import { span } from './view.js';

/** Where the tab keeps whether shortcuts of a single letter are off, as users of speech input need (WCAG 2.1.4). */
const LETTERS_KEY = 'timetable-letters';

const GRID_KEYS: Record<string, (from: grid.Position, isCtrl: boolean) => void> = {
  ArrowLeft: (from) => moveSideways(from, -1),
  ArrowRight: (from) => moveSideways(from, 1),
  ArrowUp: (from) => moveUpDown(from, -1),
  ArrowDown: (from) => moveUpDown(from, 1),
  PageUp: (from) => moveUpDown(from, -10),
  PageDown: (from) => moveUpDown(from, 10),
  Home: (from, isCtrl) => moveUpDown({ ...from, at: span.start }, isCtrl ? -Infinity : 0),
  End: (from, isCtrl) => moveUpDown({ ...from, at: span.end - 1 }, isCtrl ? Infinity : 0),
  Enter: chooseCell,
  ' ': chooseCell,
  Escape: () => {
    if (endPress()) cancelDrag();
    else closePanel();
  },
};

function moveSideways(from: grid.Position, by: -1 | 1): void {
  const cells = grid.cellsOf(from.resource);
  const next = cells[cells.findIndex((cell) => isWithin(cell, from.at)) + by];
  if (next) grid.activate(from.resource, Math.max(next.start, span.start), 'reveal');
}

function moveUpDown({ resource, at }: grid.Position, by: number): void {
  const index = Math.max(0, Math.min(grid.resources.length - 1, grid.resources.indexOf(resource) + by));
  grid.activate(grid.resources[index]!, at, 'reveal');
}

function chooseCell(from: grid.Position): void {
  const cell = grid.cellAt(from);
  if (cell) choose(cell, from.at);
}

/** Moves the keyboard's position to the cell that has the focus: a screen reader may have focused another one. */
function followFocus(event: KeyboardEvent): void {
  const cell = grid.cellFrom(event);
  const active = grid.active;
  const isThere = active && cell?.resource === active.resource && isWithin(cell, active.at);
  if (cell && !isThere) grid.activate(cell.resource, Math.max(cell.start, span.start));
}

grid.grid.addEventListener('keydown', (event) => {
  const { key, ctrlKey, altKey, metaKey, target } = event;
  const isForAnother = altKey || metaKey || (target as Element).closest('button');
  if (!grid.active || isForAnother || !Object.hasOwn(GRID_KEYS, key)) return;
  event.preventDefault();
  event.stopPropagation();
  followFocus(event);
  GRID_KEYS[key]!(grid.active, ctrlKey);
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
