import { createHmac, randomUUID } from 'node:crypto';
import { formatInstant } from '@booking-service/contracts';
import { eventTypes } from '@booking-service/contracts/events';
import { createdAtOf, toSlotDto } from '../../bookings/domain/booking.js';
import type { Delivery } from './attempt.js';

export interface Message {
  readonly id: string;
  readonly body: string;
}

/** @returns undefined for the creation of a booking that is gone */
export function messageOf(source: string, { bookingId, type, json, deletedAt, slot }: Delivery): Message | undefined {
  const id = `${type}-${bookingId}`;
  if (deletedAt !== null) {
    const freed = slot === null ? undefined : toSlotDto(slot);
    const data = JSON.stringify({ booking_id: bookingId, slot: freed, deleted_at: formatInstant(deletedAt) });
    return message(source, id, eventTypes.bookingDeleted, deletedAt, data, bookingId);
  }
  if (json === null) return undefined;
  return message(source, id, eventTypes.bookingCreated, createdAtOf(bookingId), json, bookingId);
}

export function ping(source: string): Message {
  return message(source, `ping-${randomUUID()}`, eventTypes.ping, Date.now(), '{}');
}

/** Writes an event in the structured mode of CloudEvents 1.0. `data` is JSON, and is copied byte for byte. */
function message(source: string, id: string, type: string, time: number, data: string, subject?: string): Message {
  const head = JSON.stringify({ specversion: '1.0', id, source, type, subject, time: formatInstant(time) });
  return { id, body: `${head.slice(0, -1)},"datacontenttype":"application/json","data":${data}}` };
}

/**
 * The headers of one attempt (Standard Webhooks). Every secret signs the message, so that a receiver can change
 * secrets at any time.
 */
export function headersOf({ id, body }: Message, secrets: readonly Buffer[]): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signatures = secrets.map((secret) => {
    const digest = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
    return `v1,${digest}`;
  });
  return {
    'content-type': 'application/cloudevents+json; charset=utf-8',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
