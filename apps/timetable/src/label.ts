import type { BookingDto } from '@booking-service/client';

/** Characters of a label: no box has room for more. */
const LONGEST = 80;
/** Members that describe a booking, the most descriptive first. */
const DESCRIPTIVE = ['title', 'name', 'guest', 'customer', 'patient', 'class', 'group'];
const OF_SERVICE = new Set(['booking_id', 'created_at', 'slot']);

/** A short text for a booking with any members. It is untrusted, so it may only become a text node. */
export function labelOf(booking: BookingDto): string {
  const described = DESCRIPTIVE.map((name) => textOf(booking[name]));
  const others = Object.keys(booking).map((name) => (OF_SERVICE.has(name) ? undefined : textOf(booking[name])));
  return [...described, ...others].find(Boolean) ?? 'Booked';
}

/** A text that leaves the direction of the sentence around it alone (Unicode FSI and PDI). */
export function isolated(text: string): string {
  return `\u2068${text}\u2069`;
}

const searchTexts = new WeakMap<BookingDto, string>();

/** What a search for bookings looks in: the label, plain. */
export function searchTextOf(booking: BookingDto): string {
  let text = searchTexts.get(booking);
  if (text === undefined) searchTexts.set(booking, (text = plain(labelOf(booking))));
  return text;
}

/** A text without accents, in lower case. */
export function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return shortened(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const members = DESCRIPTIVE.map((name) => (value as Record<string, unknown>)[name]);
  return members.map((member) => (typeof member === 'string' ? shortened(member) : undefined)).find(Boolean);
}

function shortened(text: string): string | undefined {
  const short = Array.from(text.slice(0, 2 * LONGEST).trim())
    .slice(0, LONGEST)
    .join('');
  return /[\p{L}\p{N}\p{S}\p{P}]/u.test(short) ? short : undefined;
}

/** The members of a booking that its creator chose, flattened to a path and a text each; at most `most`. */
export function detailsOf(booking: BookingDto, most = 100): [path: string, text: string][] {
  const rows: [string, string][] = [];
  const visit = (path: string, value: unknown) => {
    if (rows.length >= most) return;
    const isNested = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
    if (!isNested) rows.push([path, typeof value === 'string' ? value : JSON.stringify(value)]);
    else for (const [name, member] of Object.entries(value)) visit(`${path} · ${name}`, member);
  };
  for (const [name, value] of Object.entries(booking)) if (!OF_SERVICE.has(name)) visit(name, value);
  return rows;
}
