import { make, place } from './dom.js';
import { type DrawnCell, type RowLook, spanText } from './cell-view.js';

/** In pixels: radius of a corner, width of the dark edge, minimum width of a booking, and space above and below it. */
const [RADIUS, EDGE, LEAST, SPACE] = [5, 3, 3, 10];

/** Short cells of one day. */
export interface Run {
  /** Bookings, bookings that were searched for, or free time of the wanted length. */
  readonly kind: 'several' | 'found' | 'spare';
  readonly cells: readonly DrawnCell[];
}

/**
 * Draws short cells as one element, cut to where each of them is: what lies between them does not belong to it. A click
 * chooses the cell under it; a cell that has the focus is drawn by itself.
 */
export function drawRun({ kind, cells }: Run, { axis, names, height }: RowLook): HTMLElement {
  const [start, end] = [cells[0]!.start, cells.at(-1)!.end];
  const what = kind === 'spare' ? 'free times' : 'bookings';
  const ariaLabel = `${cells.length} ${what}, ${spanText({ start, end }, axis.span)}`;
  const element = make('div', { className: `run ${kind}`, role: 'gridcell', ariaLabel, title: ariaLabel });
  const from = axis.x(start);
  place(element, names + from, Math.max(LEAST, axis.x(end) - from));
  const boxes = cells.map((cell) => {
    const left = axis.x(cell.start) - from;
    return { left, width: Math.max(LEAST, axis.x(cell.end) - from - left - 1) };
  });
  const edge = kind === 'spare' ? 1 : EDGE;
  const colors = boxes.map(({ left, width }) => {
    return `var(--box-edge) 0 ${left + edge}px,var(--box) 0 ${left + width + 1}px`;
  });
  element.style.background = `linear-gradient(90deg,${colors.join()})`;
  element.style.clipPath = `path("${boxes.map((box) => outlineOf(box, height - SPACE)).join('')}")`;
  return element;
}

/** A box with round corners, as a path. */
function outlineOf({ left, width }: { left: number; width: number }, height: number): string {
  const radius = Math.min(RADIUS, width / 2);
  const [across, down] = [width - 2 * radius, height - 2 * radius];
  const turn = (x: number, y: number) => `a${radius},${radius},0,0,1,${x * radius},${y * radius}`;
  const right = `M${left + radius},0h${across}${turn(1, 1)}v${down}${turn(-1, 1)}`;
  return `${right}h${-across}${turn(-1, -1)}v${-down}${turn(1, -1)}z`;
}
