import { createHmac, randomUUID } from 'node:crypto';
import { formatInstant } from '@booking-service/contracts';
import { eventTypes } from '@booking-service/contracts/events';
import { createdAtOf, type Slot, toSlotDto } from '../../bookings/domain/booking.js';

/** What is sent in one request. */
export interface Message {
  /** The same whenever the event is sent. */
  readonly id: string;
  readonly body: string;
}

/** @param json the booking, as every response shows it: `data` has its bytes */
export function bookingCreated(source: string, bookingId: string, json: string): Message {
  return message(source, `created-${bookingId}`, eventTypes.bookingCreated, createdAtOf(bookingId), json, bookingId);
}

/** Nothing of the creator's is in it. @param deletedAt milliseconds since 1970 */
export function bookingDeleted(source: string, bookingId: string, deletedAt: number, slot: Slot | null): Message {
  const data = {
    booking_id: bookingId,
    slot: slot === null ? undefined : toSlotDto(slot),
    deleted_at: formatInstant(deletedAt),
  };
  const id = `deleted-${bookingId}`;
  return message(source, id, eventTypes.bookingDeleted, deletedAt, JSON.stringify(data), bookingId);
}

/** An event without a booking, with which an operator tests an endpoint. */
export function ping(source: string): Message {
  return message(source, `ping-${randomUUID()}`, eventTypes.ping, Date.now(), '{}');
}

/** CloudEvents 1.0, structured mode. Joined as text, so that `data` keeps its bytes. */
function message(source: string, id: string, type: string, time: number, data: string, subject?: string): Message {
  const head = JSON.stringify({ specversion: '1.0', id, source, type, subject, time: formatInstant(time) });
  return { id, body: `${head.slice(0, -1)},"datacontenttype":"application/json","data":${data}}` };
}

/**
 * The headers of one attempt (Standard Webhooks, "Webhook Headers").
 *
 * @param secrets keys of HMAC-SHA256; each of them signs, so that a receiver may change its secret at any time
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
