import type { Statement } from '../../postgres/database.js';
import type { BookingsQuery } from '../bookings.repository.js';

/** Which bookings a part of the list is about: under `start`, those without a slot are a part of their own. */
export type ListPart = 'all' | 'with-slot' | 'without-slot';

/**
 * One part of a list in its order, each backed by one index of `migrations/0001_bookings.sql`. Paging
 * is by the position of the last booking shown, never by an offset (PostgreSQL, "LIMIT and OFFSET").
 */
export function listStatement(part: ListPart, query: BookingsQuery): Statement {
  const { limit, sort, resourceId, from, to, after } = query;
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
  const beyond = direction === 'DESC' ? '<' : '>';

  const conditions: string[] = [];
  if (part === 'with-slot') conditions.push('slot_start IS NOT NULL');
  if (part === 'without-slot') conditions.push('slot_start IS NULL');
  if (resourceId !== undefined) conditions.push(`resource_id = ${bind(resourceId)}`);
  if (from !== undefined || to !== undefined) {
    const window = `int8range(${bind(from ?? null)}, ${bind(to ?? null)}, '[)')`;
    conditions.push(`slot_start IS NOT NULL AND int8range(slot_start, slot_end, '[)') && ${window}`);
  }
  if (after !== undefined) {
    conditions.push(
      part === 'with-slot'
        ? `(slot_start, booking_id) ${beyond} (${bind(after.at)}, ${bind(after.bookingId)})`
        : `booking_id ${beyond} ${bind(after.bookingId)}`,
    );
  }

  const order = part === 'with-slot' ? `slot_start ${direction}, booking_id ${direction}` : `booking_id ${direction}`;
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  const text = `SELECT booking_id, resource_id, slot_start, slot_end, json FROM bookings ${where} ORDER BY ${order} LIMIT ${bind(limit)}`;
  return { text, values };
}
