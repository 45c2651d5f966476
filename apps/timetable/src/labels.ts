/** Untrusted texts about a booking, taken from whatever members it has. */

import type { BookingDto } from '@booking-service/client';

/** Characters of each part of a label. */
const LABEL_LENGTH = 80;
const MAX_DETAILS = 100;
/** Members that say who has booked, or what: who comes first, since the desk looks for a guest. */
const DESCRIPTIVE = ['guest', 'customer', 'patient', 'attendees', 'name', 'title', 'class', 'group'];

type Members = Record<string, unknown>;

/** Who has booked, and what, if both are known: `Margaret Smith` and `Physio`. Else any text of the booking, or `Booked`. */
export function labelsOf(booking: BookingDto): string[] {
  const members = membersOf(booking);
  const names = [fullName(members), ...DESCRIPTIVE.map((name) => nameIn(members[name]))].filter(isLegible);
  const texts = names.length > 0 ? names : [...Object.values(members), ...textsIn(members), 'Booked'];
  const labels = new Set(texts.filter(isLegible).map((text) => text.trim().slice(0, LABEL_LENGTH)));
  return [...labels].slice(0, names.length > 0 ? 2 : 1);
}

const wordsByBooking = new WeakMap<BookingDto, string>();

/** All texts of a booking, for a search. */
export function wordsOf(booking: BookingDto): string {
  const known = wordsByBooking.get(booking);
  if (known !== undefined) return known;
  const texts = detailsOf(booking).map(([, text]) => text);
  const words = plain(texts.join('\n'));
  wordsByBooking.set(booking, words);
  return words;
}

/** A text without case and accents. */
export function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** The members that a booking's creator gave it, flattened to at most 100 paths, each with a text. */
export function detailsOf(booking: BookingDto): [path: string, text: string][] {
  return Object.entries(membersOf(booking))
    .flatMap(([name, value]) => flatten(name, value))
    .slice(0, MAX_DETAILS);
}

function flatten(path: string, value: unknown): [string, string][] {
  if (typeof value === 'string') return [[path, value]];
  const members = value instanceof Object ? Object.entries(value) : [];
  if (members.length === 0) return [[path, JSON.stringify(value)]];
  return members.flatMap(([name, member]) => {
    const shown = Array.isArray(value) ? Number(name) + 1 : name;
    return flatten(`${path} · ${shown}`, member);
  });
}

/** The members of a booking except the slot and those that the service sets. */
function membersOf({ booking_id: _id, created_at: _at, slot: _slot, ...members }: BookingDto): Members {
  return members;
}

/** The name in a text, a list or an object with a name; undefined if there is none. */
function nameIn(value: unknown): string | undefined {
  if (!(value instanceof Object)) return isLegible(value) ? value : undefined;
  const inner = value as Members;
  const names = Array.isArray(value) ? value : [fullName(inner), ...DESCRIPTIVE.map((each) => inner[each])];
  return names.map(nameIn).find(isLegible);
}

function fullName({ first_name: first, firstName = first, last_name: last, lastName = last }: Members): string {
  return [firstName, lastName].filter(isLegible).join(' ');
}

/** The texts in a value, at any depth. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value instanceof Object ? Object.values(value).flatMap(textsIn) : [];
}

function isLegible(text: unknown): text is string {
  return typeof text === 'string' && /[\p{L}\p{N}\p{S}\p{P}]/u.test(text);
}
