import { createHmac, randomUUID } from 'node:crypto';
import { formatInstant } from '@booking-service/contracts';
import { eventTypes } from '@booking-service/contracts/events';
import { createdAtOf, type Slot, toSlotDto } from '../bookings/booking.js';

/** An event of a booking, with its place among all events. */
export interface BookingEvent {
  /** 1, 2, 3, ... over all bookings and deletions, without a gap. */
  readonly sequence: number;
  /** The sequence of the event before this one, of those for this endpoint; 0 for its first. */
  readonly previous: number;
  /** Belongs to the sequence: the creation of a booking keeps it where the booking is gone and its deletion is sent. */
  readonly id: string;
  readonly type: (typeof eventTypes)['bookingCreated' | 'bookingDeleted'];
  readonly bookingId: string;
  /** What is booked; bookings without a slot have none. */
  readonly resourceId: string | undefined;
  /** Milliseconds since 1970 at which the booking was created, or deleted. */
  readonly time: number;
  /** JSON. Of a creation it is the booking, as every response shows it. */
  readonly data: string;
}

/** Events of one lane are sent one after the other. */
export function laneOf({ resourceId, bookingId }: Pick<BookingEvent, 'resourceId' | 'bookingId'>): string {
  return resourceId ?? bookingId;
}

/** A place among all events, given for the creation of a booking or for its deletion. */
type Place = Pick<BookingEvent, 'sequence' | 'previous'> & { isOfDeletion: boolean };

export function bookingCreated(
  place: Place,
  { bookingId, resourceId, json }: Pick<BookingEvent, 'bookingId' | 'resourceId'> & { json: string },
): BookingEvent {
  const time = createdAtOf(bookingId);
  return { ...placed(place, bookingId), type: eventTypes.bookingCreated, resourceId, time, data: json };
}

/** Nothing of the creator's is in it. @param deletion with milliseconds since 1970 */
export function bookingDeleted(
  place: Place,
  { bookingId, slot, deletedAt: time }: { bookingId: string; slot: Slot | undefined; deletedAt: number },
): BookingEvent {
  const data = JSON.stringify({
    booking_id: bookingId,
    slot: slot && toSlotDto(slot),
    deleted_at: formatInstant(time),
  });
  return { ...placed(place, bookingId), type: eventTypes.bookingDeleted, resourceId: slot?.resourceId, time, data };
}

function placed({ sequence, previous, isOfDeletion }: Place, bookingId: string) {
  return { sequence, previous, id: `${isOfDeletion ? 'deleted' : 'created'}-${bookingId}`, bookingId };
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
export function messageOf(event: BookingEvent, source: string): Message {
  const { id, type, bookingId, time, sequence, previous, data } = event;
  const body =
    `{"specversion":"1.0","id":"${id}","source":${JSON.stringify(source)},"type":"${type}",` +
    `"subject":"${bookingId}","time":"${formatInstant(time)}","sequence":"${digits(sequence)}","previous":"${digits(previous)}",` +
    `"datacontenttype":"application/json","data":${data}}`;
  // What the header says is not signed: it goes with the preview after this one.
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
