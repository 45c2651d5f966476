/**
 * The agenda: a list by time with who, where and until when; in a search for free time, what is free. On a screen, only
 * the blocks of items near the visible part have elements.
 */

import { choose } from './actions.js';
import { bookings, type Slot } from './bookings.js';
import { byId, isSame, make, onUse, writeTo } from './dom.js';
import { paint } from './drawing.js';
import * as grid from './grid.js';
import { nearbyIn } from './nearby.js';
import { shown } from './panel.js';
import { type Cell, itemsOf } from './rows.js';
import { countText, dayText, durationText, timesText, timeText } from './texts.js';
import { type Day, isOver, isWithin, type Range, type Span } from './time.js';
import { isAgenda, span, view } from './view.js';

/** Items in a block. With this many, a week of 14,000 bookings has the fewest elements. */
const BLOCK = 30;

/** Some items of a day, in the order of the list. */
interface Block {
  readonly element: HTMLElement;
  readonly day: Day;
  items: readonly Cell[];
  /** Everything on which the look of the items depends; undefined while they have no elements. */
  drawn?: readonly unknown[] | undefined;
}

/** A day in the document. */
interface Section {
  readonly element: HTMLElement;
  readonly heading: HTMLElement;
  readonly unread: HTMLElement;
  readonly day: Day;
  readonly blocks: Block[];
}

const agenda = byId('agenda');
let sections: readonly Section[] = [];
let drawnSpan: Span | undefined;
/** Whether the list, unless it is used, is still to be scrolled to what is on now, which may not have been read yet. */
let isToShowNow = false;

/** Draws the view from the known bookings, if it is an agenda. */
export function drawAgenda(): void {
  const focused = document.activeElement as HTMLElement;
  // If there is nothing, a sentence says why.
  agenda.hidden = !isAgenda() || grid.resources.length === 0;
  const newSpan = agenda.hidden ? undefined : span;
  if (drawnSpan !== newSpan) replaceSections(newSpan?.days ?? []);
  drawnSpan = newSpan;
  for (const section of sections) drawDay(section);
  drawItems(focused);
  if (isToShowNow) showNow();
}

/** Scrolls to what is on now, or next, as soon as that has been read; if there is nothing, to today. */
export function scrollToNow(): void {
  agenda.scrollTop = 0;
  isToShowNow = isWithin(span, Date.now());
  if (isToShowNow) showNow();
}

/** Focuses the item of a slot, if there is one. */
export function showItem({ resource, start }: Slot): void {
  const item = firstItem((each) => each.resource === resource && each.start === start);
  item?.querySelector<HTMLElement>('.item')!.focus();
}

function showNow(): void {
  const now = Date.now();
  isToShowNow = bookings.knownTo(span) <= now;
  const item = firstItem((each) => !isOver(each, now));
  const today = sections.find(({ day }) => isWithin(day, now));
  (item ?? today?.element)?.scrollIntoView();
  // On a low screen, that has scrolled the whole page, too.
  scrollTo(0, 0);
}

/** Draws the block of the first item that is wanted. @returns the item */
function firstItem(isWanted: (item: Cell) => boolean): Element | undefined {
  const blocks = sections.flatMap((section) => section.blocks);
  const block = blocks.find(({ items }) => items.some(isWanted));
  if (block) fill(block);
  return block?.element.children[block.items.findIndex(isWanted)];
}

function replaceSections(days: readonly Day[]): void {
  sections = days.map((day) => {
    const heading = make('h2');
    const unread = make('p');
    return { element: make('section', {}, heading, unread), heading, unread, day, blocks: [] };
  });
  agenda.replaceChildren(...sections.map(({ element }) => element));
}

function drawDay({ heading, unread, day, blocks }: Section): void {
  const items = itemsOf(bookings, grid.resources, day, span.zone, view);
  const size = Math.ceil(items.length / BLOCK);
  for (const { element: surplus } of blocks.splice(size)) surplus.remove();
  while (blocks.length < size) blocks.push(newBlock(unread, day));
  for (const [index, block] of blocks.entries()) {
    block.items = items.slice(index * BLOCK, (index + 1) * BLOCK);
    block.element.style.setProperty('--items', String(block.items.length));
  }
  const what = view.free === '' ? 'booking' : 'free time';
  const known = Math.max(day.start, bookings.knownTo(day));
  const count = known > day.start ? ` · ${countText(items.length, what)}` : '';
  writeTo(heading, dayText(span.zone, day.start) + count);
  writeTo(unread, known < day.end ? `Not read from ${timeText(span.zone, known)}` : '');
}

function newBlock(next: HTMLElement, day: Day): Block {
  const element = make('ul');
  next.before(element);
  nearby.observe(element);
  return { element, day, items: [] };
}

/**
 * Draws the blocks near the visible part, that of the open booking, to which the focus returns, and the one with the
 * focus, which stays on an item that is drawn again.
 */
function drawItems(focused: HTMLElement): void {
  for (const block of sections.flatMap(({ blocks }) => blocks)) {
    const isOpen = shown !== undefined && block.items.some(({ booked }) => booked === shown);
    if (isOpen || nearby.has(block.element) || block.element.contains(focused)) fill(block);
    else if (block.drawn) empty(block);
  }
  const { key } = focused.dataset;
  if (focused.isConnected || key === undefined) return;
  const again = agenda.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
  (again ?? agenda).focus({ preventScroll: true });
}

function fill(block: Block): void {
  const { element, day, items } = block;
  const looks = items.flatMap((item) => [item.resource, item.start, item.end, item.booked, stateOf(item)]);
  // The colours of groups change when there are others.
  const drawn = [items.length, bookings.resources.length, ...looks];
  if (block.drawn && isSame(block.drawn, drawn)) return;
  block.drawn = drawn;
  element.replaceChildren(...items.map((item) => drawItem(item, day)));
}

function stateOf(item: Range): 'past' | 'now' | '' {
  if (isOver(item)) return 'past';
  return item.start <= Date.now() ? 'now' : '';
}

function empty(block: Block): void {
  block.drawn = undefined;
  block.element.replaceChildren();
}

function drawItem(item: Cell, { date }: Day): HTMLElement {
  const { resource, start, end, booked } = item;
  const state = stateOf(item);
  const who = booked?.label ?? `Free for ${durationText(end - start)}`;
  const times = timesText(span.zone, item, date).replace(' to ', '\nuntil ');
  const parts = [make('b', {}, times), make('bdi', {}, who), make('span', { dir: 'auto' }, resource)];
  const className = `item ${booked ? state : 'wanted'}`;
  const ariaCurrent = state === 'now' ? 'time' : null;
  const button = make('button', { className, ariaCurrent, onclick: () => choose(item, start) }, ...parts);
  button.dataset['key'] = `${date} ${start} ${resource}`;
  const row = grid.rows.find(({ key }) => key === resource);
  if (row) paint(button, row);
  return make('li', {}, button);
}

const nearby = nearbyIn(agenda, () => drawItems(document.activeElement as HTMLElement));
onUse(agenda, () => (isToShowNow = false));
