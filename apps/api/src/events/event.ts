import { createHmac, randomUUID } from 'node:crypto';
import { formatInstant } from '@booking-service/contracts';
import { createdAtOf } from '../bookings/booking.js';

/** A booking that was created, with its place among all bookings. */
export interface BookingCreated {
  /** 1, 2, 3, ... over all bookings, without a gap. */
  readonly sequence: number;
  /** The sequence of the event before this one, of those for this endpoint; 0 for its first. */
  readonly previous: number;
  readonly bookingId: string;
  /** What is booked; bookings without a slot have none, and are in no order. */
  readonly resourceId: string | undefined;
  /** The booking, as every response shows it. */
  readonly json: string;
}

/** What is sent in one request. */
export interface Message {
  readonly id: string;
  /** Headers beside those that every message has. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Digits of a sequence: as many as the largest has, so that texts compare as numbers do. */
const SEQUENCE_DIGITS = 19;

/** CloudEvents 1.0, structured mode. Joined as text, so that `data` has the bytes of the booking. */
export function bookingCreated(event: BookingCreated, source: string): Message {
  const { bookingId, sequence, previous, json } = event;
  const id = `created-${bookingId}`;
  const time = formatInstant(createdAtOf(bookingId));
  const body =
    `{"specversion":"1.0","id":"${id}","source":${JSON.stringify(source)},"type":"bookings.booking.created",` +
    `"subject":"${bookingId}","time":"${time}","sequence":"${digits(sequence)}",` +
    `"datacontenttype":"application/json","data":${json}}`;
  return { id, headers: { 'bookings-previous-sequence': digits(previous) }, body };
}

/** An event without a booking, with which an operator tests an endpoint. */
export function ping(source: string): Message {
  const id = `ping-${randomUUID()}`;
  const body = {
    specversion: '1.0',
    id,
    source,
    type: 'bookings.ping',
    time: new Date().toISOString(),
    datacontenttype: 'application/json',
    data: {},
  };
  return { id, headers: {}, body: JSON.stringify(body) };
}

/**
 * The headers of one attempt (Standard Webhooks, "Webhook Headers").
 *
 * @param secrets keys of HMAC-SHA256; each of them signs, so that a receiver may change its secret at any time
 */
export function headersOf({ id, headers, body }: Message, secrets: readonly Buffer[]): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signatures = secrets.map((secret) => {
    const digest = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
    return `v1,${digest}`;
  });
  return {
    ...headers,
    'content-type': 'application/cloudevents+json; charset=utf-8',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

function digits(sequence: number): string {
  return String(sequence).padStart(SEQUENCE_DIGITS, '0');
}
