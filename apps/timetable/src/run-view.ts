import { make, place } from './dom.js';
import { type DrawnCell, type RowLook, spanText } from './cell-view.js';

/** Radius of a corner, width of the dark edge, least width of a booking, and what a row is higher, in pixels. */
const [RADIUS, EDGE, LEAST, HIGHER] = [5, 3, 3, 10];

/** Short cells of one day. */
export interface Run {
  /** Bookings, bookings that were searched for, or free time of the wanted length. */
  readonly kind: 'several' | 'found' | 'spare';
  readonly cells: readonly DrawnCell[];
}

/**
 * Draws short cells as one element, cut to where each of them is: what lies between them does not belong to it. Where
 * it is clicked is what is chosen; each cell can have the focus, and is then drawn by itself.
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
  element.style.clipPath = `path("${boxes.map((box) => outlineOf(box, height - HIGHER)).join('')}")`;
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
