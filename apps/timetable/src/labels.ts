/** Untrusted texts about a booking, taken from whatever members it has. */

import type { BookingDto } from '@booking-service/client';

const LABEL_LENGTH = 80;
const MAX_DETAILS = 100;
/** Members that describe a booking, the most descriptive first. */
const LABEL_MEMBERS = ['title', 'name', 'guest', 'customer', 'patient', 'class', 'group'];

type Members = Record<string, unknown>;

/** A short text for a booking, from its most descriptive member or, without one, from any; else `Booked`. */
export function labelOf(booking: BookingDto): string {
  const members = membersOf(booking);
  const texts = [...LABEL_MEMBERS, ...Object.keys(members)].flatMap((name) => {
    const value = members[name];
    return value instanceof Object ? LABEL_MEMBERS.map((inner) => (value as Members)[inner]) : [value];
  });
  const label = texts.find(isLegible) ?? 'Booked';
  return label.trim().slice(0, LABEL_LENGTH);
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

function isLegible(text: unknown): text is string {
  return typeof text === 'string' && /[\p{L}\p{N}\p{S}\p{P}]/u.test(text);
}
