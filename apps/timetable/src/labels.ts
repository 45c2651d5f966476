/** Untrusted texts about a booking, taken from whatever members it has. */

import type { BookingDto } from '@booking-service/client';

const LABEL_LENGTH = 80;
const MAX_DETAILS = 100;
/** Members that describe a booking, the most descriptive first. */
const DESCRIPTIVE = ['title', 'name', 'guest', 'customer', 'patient', 'class', 'group'];

type Members = Record<string, unknown>;

/** A short text for a booking, from its most descriptive member or, without one, from any; else `Booked`. */
export function labelOf(booking: BookingDto): string {
  const members = membersOf(booking);
  const label = [...namesIn(members), ...Object.values(members)].find(isLegible) ?? textsIn(members).find(isLegible);
  return (label ?? 'Booked').trim().slice(0, LABEL_LENGTH);
}

/** The label and, if the booking has another, the name of who has booked: `Physio · Margaret Smith`. */
export function whoOf(booking: BookingDto): string {
  const names = new Set([labelOf(booking), ...namesIn(membersOf(booking))]);
  return [...names]
    .slice(0, 2)
    .join(' · ')
    .slice(0, 2 * LABEL_LENGTH);
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
  return members.flatMap(([name, member]) => flatten(`${path} · ${name}`, member));
}

/** The members of a booking except the slot and those that the service sets. */
function membersOf({ booking_id: _id, created_at: _at, slot: _slot, ...members }: BookingDto): Members {
  return members;
}

/** Legible texts of descriptive members, and full names, down to the second level; the most descriptive first. */
function namesIn(members: Members): string[] {
  const texts = DESCRIPTIVE.flatMap((name) => {
    const value = members[name];
    if (!(value instanceof Object)) return [value];
    const inner = value as Members;
    return DESCRIPTIVE.map((each) => inner[each]).concat(fullName(inner));
  });
  return [...texts, fullName(members)].filter(isLegible);
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
