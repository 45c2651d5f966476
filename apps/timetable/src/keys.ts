import { cancelChoice, choose } from './choices.js';
import * as grid from './grid.js';
import { closePanel } from './panel.js';
import { endPress } from './pointer.js';
import type { Cell } from './rows.js';
import { isWithin } from './time.js';
import { span } from './view.js';

/** The keyboard's position, and the cells of its row. */
interface Position {
  readonly resource: string;
  readonly at: number;
  readonly cells: readonly Cell[];
  readonly cell: Cell | undefined;
}

/** The keys of a grid with one tab stop (ARIA Authoring Practices, "Grid Pattern"). */
const KEYS: Record<string, (position: Position, isCtrl: boolean) => void> = {
  ArrowLeft: (position) => moveSideways(position, -1),
  ArrowRight: (position) => moveSideways(position, 1),
  ArrowUp: (position) => moveUpDown(position, -1),
  ArrowDown: (position) => moveUpDown(position, 1),
  PageUp: (position) => moveUpDown(position, -10),
  PageDown: (position) => moveUpDown(position, 10),
  Home: (position, isCtrl) => moveUpDown({ ...position, at: span.start }, isCtrl ? -Infinity : 0),
  End: (position, isCtrl) => moveUpDown({ ...position, at: span.end - 1 }, isCtrl ? Infinity : 0),
  Enter: act,
  ' ': act,
  Escape: () => {
    if (endPress()) cancelChoice();
    else closePanel();
  },
};

function moveSideways({ resource, cells, cell }: Position, by: -1 | 1): void {
  const next = cell && cells[cells.indexOf(cell) + by];
  if (next) grid.activate(resource, Math.max(next.start, span.start), 'reveal');
}

function moveUpDown({ resource, at }: Position, by: number): void {
  const { resources } = grid;
  const index = Math.max(0, Math.min(resources.length - 1, resources.indexOf(resource) + by));
  grid.activate(resources[index]!, at, 'reveal');
}

function act({ cell, at }: Position): void {
  if (cell) choose(cell, at);
}

/** The position of the focus: a screen reader may focus any cell. */
function positionFrom(event: KeyboardEvent): Position | undefined {
  const { active } = grid;
  if (!active) return undefined;
  const focused = grid.cellFrom(event);
  const isOther = focused && (focused.resource !== active.resource || !isWithin(focused, active.at));
  const resource = isOther ? focused.resource : active.resource;
  const at = isOther ? Math.max(focused.start, span.start) : active.at;
  const cells = grid.cellsOf(resource);
  return { resource, at, cells, cell: cells.find((one) => isWithin(one, at)) };
}

grid.grid.addEventListener('keydown', (event) => {
  const { key, ctrlKey, altKey, metaKey, target } = event;
  const position = positionFrom(event);
  const isOther = altKey || metaKey || (target as Element).closest('button');
  if (!position || isOther || !Object.hasOwn(KEYS, key)) return;
  event.preventDefault();
  event.stopPropagation();
  KEYS[key]!(position, ctrlKey);
});
